#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh TEST...: boots the two guests beside each other, has the tests of plan.txt run in
# them and sums up; the last line is `N passed, N failed`. For kernels that this machine
# does not have: cgroup v2 with all controllers, a systemd that delegates, swap, a clock
# and a core_pattern that may be changed.
#
# A guest is qemu with two disks: a Debian (image.sh; its changes are thrown away) and the
# two trees, read-only. It has no network. Its first serial line is the console, shown when
# the guest does not come to its end; the second brings TAP (suite.sh). What came last is
# kept: vm-cache/GUEST.console and GUEST.tap in the build tree.
# Needs QUOD_TEST_BUILD and QUOD_TEST_SOURCE. For the impatient:
#	QUOD_VM_TESTS='tests/vm/*'	only what matches
#	QUOD_VM_GUESTS=bare		only that guest
#	QUOD_VM_ACCEL=kvm		where that works
# and for the patient:
#	QUOD_VM_ALL=1			also what plan.txt leaves out
#	QUOD_VM_SECONDS=3600		more time
set -eu
: "${QUOD_TEST_BUILD:?}" "${QUOD_TEST_SOURCE:?}"
here=$QUOD_TEST_SOURCE/tests/vm
# Against a guest that hangs.
most=${QUOD_VM_SECONDS:-2400}
accel=${QUOD_VM_ACCEL:-tcg,thread=multi}
only=${QUOD_VM_TESTS:-*}
guests=${QUOD_VM_GUESTS:-bare systemd}

if [ "$(uname -m)" != x86_64 ]; then
	echo 'check-vm: the guests are x86-64 machines that run the programs built here' >&2
	exit 1
elif [ "$(id -u)" != 0 ]; then
	echo 'check-vm: must be root: mmdebstrap makes the guests with chroot and mknod' >&2
	exit 1
fi
for program in qemu-system-x86_64 mmdebstrap mke2fs; do
	if ! command -v $program >/dev/null; then
		echo "check-vm: no $program: apt-get install $(sed 's/#.*//' \
			"$QUOD_TEST_SOURCE/packaging/vm-deps.txt" | tr '\n' ' ')" >&2
		exit 1
	fi
done

umask 022
cache=$QUOD_TEST_BUILD/vm-cache
image=$(sh "$here/image.sh" "$cache")
work=$(mktemp -d "$cache/run.XXXXXX")
machines=
cleanup() {
	for pid in $machines; do
		kill "$pid" 2>/dev/null || :
	done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

# The plan with its patterns replaced by names: lines GUEST WHO TEST ARGS.
make_plan() {
	sed 's/#.*//' "$here/plan.txt" >"$work/rules"
	while read -r word guest who pattern args; do
		[ "$word" = run ] || continue
		for test in "$@"; do
			matches "$test" "$pattern" && matches "$test" "$only" || continue
			[ "$test" = "$pattern" ] || ! left_out "$guest" "$test" || continue
			echo "$guest $who $test $args"
		done
	done <"$work/rules" >"$work/plan"
}

matches() {
	# shellcheck disable=SC2254 # it is a pattern
	case $1 in
	$2) return 0 ;;
	esac
	return 1
}

# left_out GUEST TEST: by a rule, or because it has a line of its own.
left_out() {
	while read -r rule_word rule_guest rule_who rule_test _; do
		case $rule_word:$rule_guest in
		"run:$1") [ "$rule_test" != "$2" ] || return 0 ;;
		"leave:$1" | leave:both)
			[ "$rule_who" != "$2" ] || [ -n "${QUOD_VM_ALL:-}" ] || return 0
			;;
		esac
	done <"$work/rules"
	return 1
}

# Where there is a daemon it is tried as it is installed.
install_build() {
	make -s --no-print-directory -C "$QUOD_TEST_BUILD" install "DESTDIR=$work/job/installed" \
		>"$work/install.log" 2>&1 || {
		cat "$work/install.log"
		exit 1
	}
}

# Debian's packages, for the test that installs them: made anew if what is in them has changed.
make_packages() {
	! grep -q ' tests/vm/package\.sh ' "$work/plan" || {
		make -s --no-print-directory -C "$QUOD_TEST_BUILD" deb >"$work/deb.log" 2>&1 || {
			tail -n 60 "$work/deb.log"
			exit 1
		}
		mkdir "$work/job/packages"
		find "$QUOD_TEST_BUILD/deb" -name '*.deb' ! -name '*-dbgsym_*' \
			-exec cp {} "$work/job/packages" \;
	}
}

# The trees, as anybody may read them. The build tree may lie inside the source tree.
make_job() {
	mkdir "$work/job" "$work/job/build" "$work/job/source"
	(cd "$QUOD_TEST_SOURCE" && tar -cf - --exclude=./build --exclude=.git --exclude=./deb --exclude=vm-cache \
		--exclude='*.o' --exclude='*.a' .) | tar -xf - -C "$work/job/source"
	(cd "$QUOD_TEST_BUILD" && tar -cf - --exclude=.git --exclude=vm-cache --exclude='*.o' \
		--exclude='*.a' --exclude=./build --exclude=./deb .) | tar -xf - -C "$work/job/build"
	cp "$work/plan" "$work/job/plan"
	install_build
	make_packages
	chmod -R a+rX "$work/job"
	mke2fs -q -t ext4 -O '^has_journal' -E root_owner=0:0 -d "$work/job" "$work/job.img" \
		"$(($(du -sm "$work/job" | cut -f 1) + 64))M"
	rm -rf "$work/job"
}

init_of() {
	case $1 in
	bare) echo /sbin/quod-init ;;
	systemd) echo /lib/systemd/systemd ;;
	esac
}

# boot GUEST: in the background; TAP goes to the pipe GUEST.tap.
boot() {
	mkfifo "$work/$1.tap"
	TMPDIR=$work timeout -k 5 "$most" qemu-system-x86_64 -accel "$accel" \
		-cpu max,la57=off,pcid=off -smp 2 -m 1024 \
		-nodefaults -display none -no-reboot -kernel "$image/vmlinuz" -append \
		"console=ttyS0 loglevel=3 panic=-1 mitigations=off norandmaps devtmpfs.mount=1 root=/dev/nvme0n1 rootfstype=ext4 rw init=$(init_of "$1")" \
		-drive "file=$image/root.img,format=raw,if=none,id=root,snapshot=on" \
		-drive "file=$work/job.img,format=raw,if=none,id=job,readonly=on" \
		-device nvme,drive=root,serial=root -device nvme,drive=job,serial=job \
		-serial "file:$work/$1.console" -serial stdio \
		</dev/null >"$work/$1.tap" 2>"$work/$1.stderr" &
	machine=$!
	machines="$machines $machine"
	tee "$cache/$1.tap" <"$work/$1.tap" | sh "$here/sum.sh" "$1" $machine "$work/$1.totals" &
	readers="${readers:-} $!"
}

make_plan "$@"
make_job
for guest in $guests; do
	boot "$guest"
done
# shellcheck disable=SC2086 # two numbers
wait $readers

passed=0
failed=0
for guest in $guests; do
	read -r more_passed more_failed complete <"$work/$guest.totals"
	passed=$((passed + more_passed))
	failed=$((failed + more_failed))
	[ "$complete" = 1 ] || {
		printf '\nthe console of the guest %s:\n' "$guest"
		tail -n 60 "$work/$guest.console" "$work/$guest.stderr"
	}
done
cp "$work"/*.console "$cache"
# Of two guests' lines, what failed is easily missed.
if [ "$failed" != 0 ]; then
	printf '\nwhat failed:\n'
	cat "$work"/*.totals.bad
fi
[ -n "${QUOD_VM_ALL:-}" ] || sed -n 's/^leave/left out:/p' "$here/plan.txt"
printf '\n%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
