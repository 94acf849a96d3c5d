#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/runbooks, followed to the letter on a host that was brought into the state that each of
# them is for. A runbook says in a comment, <!-- breakage: NAME -->, which state that is
# (breakages.sh makes it), and every block of it is then typed in by a shell like root's and
# has to answer as the page says (steps.awk, output.awk). What is done is judged by the result
# too: after each breakage quodd runs scripts again, held by cgroups.
#
# The first page installs and the last one uninstalls; in between each breakage finds the
# configuration that the first page has made.
. "$QUOD_TEST_SOURCE/tests/vm/quodd_lib.sh"
. "$QUOD_TEST_SOURCE/tests/vm/breakages.sh"
books=$QUOD_TEST_SOURCE/docs/runbooks
order='install README tenant-flood queue-waits memory-storm timeouts violation suspected-escape
	stuck-cgroup not-starting state-full userns-off internal-errors rotate-tokens capacity
	upgrade uninstall'
# For the impatient: only these pages, between the first and the last.
chosen=${QUOD_VM_RUNBOOKS:-$order}
# The operator has what is installed.
unset QUOD_JS QUOD_SCOPE
export QUOD_POLICY_PATH=/etc/quod/policies
page=
breakage=
newline='
'

units() {
	find /etc/systemd/system /etc/systemd/system.control -name 'quodd.*' 2>/dev/null | sort
	find /etc/systemd/system/quodd.* -type f -exec cksum {} + 2>/dev/null
}

configuration() {
	find /etc/quod -type f -exec cksum {} + | sort
}

save() {
	units >"$dir/units"
	configuration >"$dir/configuration"
	tar -C / -cf "$dir/saved.tar" etc/quod
}

# Each breakage begins with what the first page has made. There are no drop-ins then.
restore() {
	if ! units | cmp -s - "$dir/units"; then
		rm -rf /etc/systemd/system/quodd.* /etc/systemd/system.control/quodd.*
		systemctl daemon-reload
		systemctl restart quodd.socket quodd.service
	fi
	configuration | cmp -s - "$dir/configuration" && return
	rm -rf /etc/quod
	tar -C / -xf "$dir/saved.tar"
	systemctl reload quodd.service
}

break_it() {
	judge
	breakage=$1
	since=$(cut -d . -f 1 /proc/uptime)
	command -v "break_$1" >/dev/null ||
		fail "$page: there is no breakage '$1' in tests/vm/breakages.sh"
	"break_$1" >"$dir/broken" 2>&1 || fail "$page: the breakage $1" "$(cat "$dir/broken")"
}

# What is mended serves; then clients and the like that belong to the breakage end.
judge() {
	[ -n "$breakage" ] || return
	if command -v "judge_$breakage" >/dev/null; then
		"judge_$breakage"
	else
		ran_ok "$page: $breakage: it runs again"
		is "$(curl -s -o /dev/null -w '%{http_code}' --unix-socket $socket \
			http://quodd/readyz)" 200 "$page: $breakage: it is ready"
	fi
	! command -v "leave_$breakage" >/dev/null || "leave_$breakage" >/dev/null 2>&1
	[ ! -e "$dir/saved.tar" ] || restore
	echo "# $page: $breakage: $(($(cut -d . -f 1 /proc/uptime) - since)) s"
	breakage=
}

# obey PLACE KIND COMMAND EXPECTED: typed in. Few programs: one takes 50 ms in a guest.
obey() {
	status=0
	command eval "$3" >"$dir/said" 2>&1 </dev/null || status=$?
	obey_wrong=
	if [ -n "$4" ] || [ -s "$dir/said" ]; then
		printf %s "$4" >"$dir/expected"
		awk -f "$QUOD_TEST_SOURCE/tests/vm/output.awk" "$dir/expected" "$dir/said" ||
			obey_wrong='it says something else'
	fi
	case $2:$status in
	succeeds:0 | fails:[1-9]*) ;;
	*) obey_wrong="its exit status is $status" ;;
	esac
	if [ -z "$obey_wrong" ]; then
		pass "$1: ${3%%"$newline"*}"
	else
		fail "$1: ${3%%"$newline"*}" "$obey_wrong; wanted:
$4
got:
$(cat "$dir/said")"
	fi
}

follow() {
	page=$1.md
	if awk -f "$QUOD_TEST_SOURCE/tests/vm/steps.awk" "$books/$page" >"$dir/steps" 2>"$dir/said"; then
		. "$dir/steps"
		judge
	else
		fail "$page can be followed" "$(cat "$dir/said")"
	fi
	cd / || exit 99
}

is "$(for name in $order; do echo "$name.md"; done | sort)" \
	"$(cd "$books" && ls -A)" 'every runbook has its place'
for name in $order; do
	case " $chosen install uninstall " in
	*[[:space:]]"$name"[[:space:]]*) follow "$name" ;;
	esac
	[ "$name" != install ] || save
done
systemctl disable --now quodd.socket quodd.service 2>/dev/null
is "$(leaves)$(find /sys/fs/cgroup -name quodd.service)" '' 'at last no cgroup is left'
tap_done
