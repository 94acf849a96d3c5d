#!/bin/sh
# SPDX-License-Identifier: MIT
# quod in containers: what container engines take away by default, what a user may grant, and
# what comes of it. Either a run is held as docs/containers.md says, or the error names the
# one thing to grant, and doctor names the same. OCI runtimes make the containers, from
# containers/config.jq; the seccomp profile of the engines is containers/seccomp.json, what
# quod needs of it is added by the filter that users get (packaging/containers/seccomp.jq).
#
# The root of a container is nearly empty; /usr is this machine's.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
here=$QUOD_TEST_SOURCE/tests/vm/containers
bundle=$dir/bundle
runtime=crun
# Directly below the root of the hierarchy; runc asks systemd for a scope.
cgroup=/quod-containers/case

for place in dev etc proc run srv/build sys tmp usr; do
	mkdir -p "$bundle/rootfs/$place"
done
for link in bin lib lib64; do
	ln -s usr/$link "$bundle/rootfs/$link"
done
printf '%s\n' 'root:x:0:0::/:' 'nobody:x:65534:65534::/:' >"$bundle/rootfs/etc/passwd"
chmod 755 "$dir" "$bundle"
chmod 1777 "$bundle/rootfs/tmp"
# It is root's, whoever that is in the container.
mkdir "$bundle/rootfs/run/quod"
jq -f "$QUOD_TEST_SOURCE/packaging/containers/seccomp.jq" "$here/seccomp.json" >"$dir/granted.json"

# contain CHANGES COMMAND...: in a new container. $code, $err; output in $dir/out.
contain() {
	changes=$1
	shift
	jq -n -f "$here/config.jq" --arg changes "$changes" --arg build "$QUOD_TEST_BUILD" \
		--arg cgroup "$cgroup" --argjson args "$(jq -nc '$ARGS.positional' --args -- "$@")" \
		--slurpfile seccomp "$here/seccomp.json" --slurpfile granted "$dir/granted.json" \
		>"$bundle/config.json"
	code=0
	timeout -k 5 120 $runtime --root "$dir/state" run --bundle "$bundle" case </dev/null \
		>"$dir/out" 2>"$dir/err" || code=$?
	err=$(cat "$dir/err")
}

# The same for `quod run ARGS` and then doctor, in one container, beside a shell: the record,
# $code of the run, and doctor's answer in $dir/doctor.
try_both() {
	# shellcheck disable=SC2016 # for the shell there
	both='"$0" run -o json "$@" -e "6 * 7"; echo $?; "$0" doctor --for container -o json'
	given=$1
	shift
	contain "$given" sh -c "$both" /srv/build/quod "$@"
	sed -n 3p "$dir/out" >"$dir/doctor"
	code=$(sed -n 2p "$dir/out")
	sed -n 1p "$dir/out" >"$dir/record"
	mv "$dir/record" "$dir/out"
	case_name="$runtime: ${given:-engine default}${*:+: $*}"
}

held_by() {
	is "$(field '"\(.status) \(.value) \(.enforced_by | "\(.memory) \(.cpu) \(.processes)") \(
		.error.message // "")"')" "ok 42 $1 " "$2"
}

# gives CHANGES ARGS...: a run, without a cgroup, and doctor knows.
gives() {
	try_both "$@"
	held_by 'rlimit supervisor filter' "$case_name: runs"
	is "$(jq -r .can_run "$dir/doctor")" true "$case_name: doctor says so"
}

# gives_cgroup CHANGES ARGS...: as the container's first process and alone, with one.
gives_cgroup() {
	given=$1
	shift
	contain "$given" /srv/build/quod run -o json "$@" -e '6 * 7'
	held_by 'cgroup cgroup cgroup' "$runtime: ${given:-engine default}${*:+: $*}: runs"
}

# refuses PART CHANGES ARGS...: no run, and PART is what error and doctor say of it.
refuses() {
	part=$1
	shift
	try_both "$@"
	is "$(field .status) $code" 'internal_error 125' "$case_name: no run"
	has "$(field .error.message)" "$part" "$case_name: says: $part"
	has "$(jq -r '.probes[].remedy // ""' "$dir/doctor" | tr '\n' ' ')" "$part" \
		"$case_name: doctor says the same"
}

# quodd there, and a run by it; its log is stderr.
serve() {
	rm -f "$bundle/rootfs/tmp/quod.sock"
	# shellcheck disable=SC2016 # for the shell there
	contain "$1" sh -c '/srv/build/quodd --socket /tmp/quod.sock &
		daemon=$!
		while [ ! -S /tmp/quod.sock ] && kill -0 $daemon; do
			sleep 0.2
		done
		exec /srv/build/quod run --socket /tmp/quod.sock -o json -e "6 * 7"'
}

seccomp='--security-opt seccomp=FILE'

# --- what engines give by default, and the half measures ---
refuses "$seccomp" ''
refuses "$seccomp" 'user no-caps'
refuses "$seccomp" 'admin'
refuses "$seccomp" 'userns'

is "$(jq -r '.probes[] | select(.name == "filter around") | "\(.state) \(.found)"' "$dir/doctor")" \
	'fails a seccomp filter refuses clone3, fsconfig, umount2, open_tree' \
	'doctor lists what the filter refuses, as far as it can know'

# --- the one grant: the profile ---
gives 'seccomp=quod'
gives 'seccomp=quod cgroup=host-ns'
gives 'seccomp=quod user no-caps read-only'
gives 'seccomp=quod userns'
gives 'seccomp=quod userns user no-caps read-only'
gives 'seccomp=none userns'
serve 'seccomp=quod'
held_by 'rlimit supervisor filter' 'quodd: seccomp=quod: runs'
serve 'seccomp=quod userns user no-caps'
held_by 'rlimit supervisor filter' 'quodd: seccomp=quod userns user no-caps: runs'
serve ''
has "$err" "$seccomp" "quodd: engine default: says: $seccomp"

# --- with the profile, what else may be in the way ---
refuses 'CAP_SETFCAP' 'seccomp=quod no-caps'
refuses "tmpfs at '/run/quod'" 'seccomp=quod read-only'
gives 'seccomp=quod read-only tmpfs'
refuses 'mount /proc' 'seccomp=quod no-proc'
contain 'seccomp=quod one-process' /srv/build/quod run -e 1
has "$err" 'pids.max' 'one process: no run, and it says why'

# --- cgroups ---
refuses 'mounted read-only' 'seccomp=quod' --require-cgroup
refuses 'other processes are in that cgroup' 'seccomp=quod cgroup=rw' --require-cgroup
gives 'seccomp=quod cgroup=rw'
gives_cgroup 'seccomp=quod cgroup=rw no-files'
gives_cgroup 'seccomp=quod cgroup=rw userns' --require-cgroup
gives_cgroup 'privileged' --require-cgroup

# --- AppArmor's default profile for containers ---
if [ -e /sys/kernel/security/apparmor ]; then
	profiles="$here/apparmor $QUOD_TEST_SOURCE/packaging/containers/apparmor"
	# shellcheck disable=SC2086 # two files
	holds 'profiles are loaded' apparmor_parser --replace $profiles
	refuses '--security-opt apparmor=unconfined' 'seccomp=quod apparmor=container-default'
	gives 'seccomp=quod apparmor=quod-container'
	# shellcheck disable=SC2086
	apparmor_parser --remove $profiles
else
	skip 'AppArmor' 'this kernel has it off'
fi

# --- the other runtime ---
runtime='runc --systemd-cgroup'
cgroup=system.slice:quod:case
refuses "$seccomp" ''
gives 'seccomp=quod userns'
gives_cgroup 'seccomp=quod cgroup=rw userns' --require-cgroup

is "$(find /sys/fs/cgroup -path '*quod-containers/*' -type d; ls "$dir/state")" '' 'no container is left'
rmdir /sys/fs/cgroup/quod-containers
tap_done
