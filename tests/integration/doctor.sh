#!/bin/sh
# SPDX-License-Identifier: MIT
# quod doctor: each thing that can be wrong with a host is brought about, and the row that is
# to name it has its cause and what mends it. What needs a kernel or cgroups of its own is in
# tests/vm/doctor_bare.sh, what concerns quodd in tests/daemon/doctor.sh.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/integration/finds.sh"
deny=$QUOD_TEST_BUILD/tests/integration/deny
inmate=$QUOD_TEST_BUILD/tests/escape/inmate

doctor() {
	"$quod" doctor -o json "$@"
}

# --- levels ---

test_levels() {
	code=0
	doctor >"$dir/out" 2>"$dir/err" || code=$?
	record_has '(.probes | length) > 20 and all(.probes[];
		(keys == ["found", "instead", "name", "remedy", "room", "state", "tried"]) and
		(.found != null) and (.tried != null) and (.room != null))' 'every row says what was tried and found'
	record_has 'all(.probes[] | select(.state == "less"); .instead != null and .remedy != null)' \
		'what is less says what holds instead, and what mends it'
	record_has '([.probes[].state] | if any(. == "fails") then "fails" elif any(. == "less")
		then "less" else "works" end) == .state and (.can_run == (.state != "fails"))' \
		'the whole is as its worst row'
	is "$code" "$(field '{works: 0, less: 8, fails: 1}[.state]')" 'so is the exit status'
	state=$(field .state)
	"$quod" doctor >"$dir/text"
	is "$(grep -c '^run: ' "$dir/text")" 1 'the text ends with one verdict'
	[ "$state" != less ] ||
		has "$(tail -n 1 "$dir/text")" 'it runs, with less: ' 'which names what is less'
	code=0
	QUOD_JS=/none doctor >"$dir/out" || code=$?
	is "$code $(field '.state, .can_run' | tr '\n' ' ')" '1 fails false ' 'a row that fails is a failure'
	for purpose in run quodd rootless container; do
		doctor --for $purpose >"$dir/out"
		is "$(field .for)" $purpose "for $purpose"
	done
}

# What it does is bounded: it takes at most 100 ms, which a count can say and a clock cannot.
test_cost() {
	command -v strace >/dev/null || { skip 'what it costs' 'no strace'; return; }
	strace -f -c -o "$dir/calls" "$quod" doctor >/dev/null 2>&1
	awk '$NF == "clone" || $NF == "clone3" || $NF == "fork" || $NF == "vfork" { n += $4 }
		END { print (n > 10 && n <= 40) ? "ok" : n }' "$dir/calls" >"$dir/forks"
	is "$(cat "$dir/forks")" ok 'it starts at most forty processes'
}

# --- the kernel and who is around quod ---

test_kernel() {
	finds kernel fails 2.6. 'Linux 5.14' 'an old kernel' setarch --uname-2.6 "$quod" doctor -o json
}

# hides FILE=VALUE...: a script that has these under /proc/sys/kernel and nothing else there.
hides() {
	printf %s 'mkdir -p $dir/kernel && mount -t tmpfs none $dir/kernel'
	for pair; do
		printf %s " && echo '${pair#*=}' >\$dir/kernel/${pair%%=*}"
	done
	printf %s ' && mount --bind $dir/kernel /proc/sys/kernel'
}

# The host's switches are for who has not the capability: setpriv takes it away.
plain='setpriv --bounding-set=-all --inh-caps=-all'

# shellcheck disable=SC2086 # words
test_permission() {
	finds 'user namespace' fails 'not permitted' 'sysctl -w kernel.unprivileged_userns_clone=1' \
		'refused, and the sysctl of Debian is off' \
		here "$(hides unprivileged_userns_clone=0 apparmor_restrict_unprivileged_userns=1)" \
		$plain "$deny" clone3_in_earnest EPERM "$quod" doctor -o json
	finds 'user namespace' fails 'not permitted' 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0' \
		'refused, and AppArmor restricts' \
		here "$(hides unprivileged_userns_clone=1 apparmor_restrict_unprivileged_userns=1)" \
		$plain "$deny" clone3_in_earnest EPERM "$quod" doctor -o json
	finds 'empty root' fails 'not permitted' 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0' \
		'AppArmor lets a namespace be made, and nothing be mounted in it' \
		here "$(hides apparmor_restrict_unprivileged_userns=1)" \
		$plain "$deny" fsopen EPERM "$quod" doctor -o json
	finds 'user namespace' fails 'not permitted' 'a seccomp filter around quod' \
		'refused to who has the capability: the switches are not why' \
		here "$(hides unprivileged_userns_clone=0 apparmor_restrict_unprivileged_userns=1)" \
		"$deny" clone3 EPERM "$quod" doctor -o json
	finds seccomp fails 'Invalid argument' CONFIG_SECCOMP_FILTER 'a kernel without filters' \
		"$deny" seccomp EINVAL "$quod" doctor -o json
}

# In a chroot the kernel gives no user namespace.
test_chroot() {
	if grep -q '^Seccomp:	2' /proc/self/status; then
		skip 'a chroot' 'there is a filter around us, which is named first'
		return
	fi
	mkdir -p "$dir/root/proc" "$dir/root/dev"
	cp "$quod" "$quod_js" "$dir/root/"
	finds 'user namespace' fails 'not permitted' 'runs in a chroot' 'a chroot' \
		here 'mount --rbind /proc $dir/root/proc && touch $dir/root/dev/null &&
			mount --bind /dev/null $dir/root/dev/null && export QUOD_JS=/quod-js' \
		chroot "$dir/root" /quod doctor -o json
}

test_proc() {
	finds proc fails 'Read-only' 'mount -o remount,rw /proc' 'a /proc that is read-only' \
		here 'mount --rbind /proc /proc && mount -o remount,bind,ro /proc' "$quod" doctor -o json
	finds proc fails 'No such file' 'mount -t proc' 'none at all' \
		here 'mount -t tmpfs none /proc' "$quod" doctor -o json
}

test_core() {
	finds 'core dumps' works "'/usr/share/apport/apport %p'" '' 'a core_pattern that is a pipe' \
		here "$(hides 'core_pattern=|/usr/share/apport/apport %p')" "$quod" doctor -o json
	has "$(field '.probes[] | select(.name == "core dumps") | .found')" 'RLIMIT_CORE is 1' \
		'does not get the dump of a jail'
	finds 'core dumps' works files '' 'one that is none' here "$(hides core_pattern=core)" "$quod" doctor -o json
}

test_swap() {
	printf 'Filename\tType\tSize\n' >"$dir/none"
	printf 'Filename\tType\tSize\n/swap file 100\n' >"$dir/some"
	finds swap works 'no swap is on' '' 'no swap' \
		here 'mount --bind $dir/none /proc/swaps' "$quod" doctor -o json
	code=0
	here 'mount --bind $dir/some /proc/swaps' "$quod" doctor -o json >"$dir/out" || code=$?
	if [ "$(field '.probes[] | select(.name == "memory controller") | .state')" = works ]; then
		record_has '.probes[] | select(.name == "swap") | .state == "works" and
			(.found | contains("memory.swap.max is 0"))' 'swap, and a cgroup that limits it'
	else
		record_has '.probes[] | select(.name == "swap") | .state == "less" and
			(.instead | contains("its swap is not")) and (.remedy | contains("swapoff -a"))' \
			'swap, and nothing that limits it'
	fi
}

# --- what the caller may have ---

test_files() {
	finds 'open files' less '28 of which' 'ulimit -n 128' 'few open files' \
		sh -c 'ulimit -Sn 28; exec "$0" doctor -o json' "$quod"
	finds 'open files' less '28 of which' 'prlimit --pid' 'few, and no more to be had' \
		sh -c 'ulimit -n 28; exec "$0" doctor -o json' "$quod"
	finds 'open files' works '64 of which' '' 'enough of them' \
		sh -c 'ulimit -n 64; exec "$0" doctor -o json' "$quod"
}

# The limit is not for the host's root, who is root of the namespace too: somebody else is
# asked for.
test_processes() {
	set -- prlimit
	[ "$(id -u)" != 0 ] || set -- setpriv --reuid=54321 --regid=54321 --clear-groups "$@"
	[ "$QUOD_TEST_MODE" != userns ] || return 0
	finds processes fails 'only 0 can be' 'RLIMIT_NPROC, 1 for all processes of this user' \
		'no more processes' "$@" --nproc=1 "$quod" doctor -o json
	[ "$(id -u)" = 0 ] || return 0
	finds processes less 'only 2 can be' 'ulimit -u' 'few more processes' "$@" --nproc=3 "$quod" doctor -o json
}

# --- what is installed ---

# js MODE: a copy of the interpreter that has it.
js() {
	cp "$quod_js" "$dir/js"
	chmod "$1" "$dir/js"
}

test_interpreter() {
	export QUOD_JS="$dir/js"
	finds interpreter fails 'No such file' 'install quod' 'no interpreter' "$quod" doctor -o json
	js 750
	finds interpreter fails 'may not be executed by others' 'chmod o+x' 'one that strangers may not execute' "$quod" doctor -o json
	js 755
	finds interpreter works 'a static program' '' 'one that they may' "$quod" doctor -o json
	finds interpreter fails noexec 'remount that with exec' 'one on a noexec mount' \
		here 'mount -t tmpfs -o noexec none $dir/mnt && cp $dir/js $dir/mnt/ && export QUOD_JS=$dir/mnt/js' \
		"$quod" doctor -o json
	head -c 100000 "$quod_js" >"$dir/js"
	finds interpreter fails truncated 'install it again' 'one that is truncated' "$quod" doctor -o json
	echo '#!/bin/sh' >"$dir/js"
	finds interpreter fails 'too short' 'install it again' 'one that is no program' "$quod" doctor -o json
	cp "$inmate" "$dir/js"
	finds 'a whole run' fails interpreter '' 'one that is another program: the whole run' "$quod" doctor -o json
	QUOD_JS=$quod_js
}

test_policies() {
	mkdir "$dir/policies"
	export QUOD_POLICY_PATH="$dir/policies"
	printf '[Limits]\nMemoryMax=1M\n' >"$dir/policies/good.policy"
	finds policies works '4 can be loaded' '' 'policies that parse' "$quod" doctor -o json
	printf '[Jail]\nRequireCgroup=yes\n' >"$dir/policies/good.policy"
	doctor >"$dir/out" || true
	if [ "$(field '[.probes[] | select(.name | test("cgroup v2| controller")) | select(.state != "works")] | length')" = 0 ]; then
		finds policies works '4 can be loaded' '' 'one that asks for a cgroup' "$quod" doctor -o json
	else
		finds policies less "'good' asks for a cgroup" RequireCgroup= 'one that asks for a cgroup' \
			"$quod" doctor -o json
	fi
	printf '[Limits]\nMemoryMx=1M\n' >"$dir/policies/bad.policy"
	finds policies fails "$dir/policies/bad.policy:2:1: " 'quod policy test FILE (1 faults in all)' \
		'one that does not' "$quod" doctor -o json
	unset QUOD_POLICY_PATH
}

# --- a user ---

# a_user SCRIPT: for rootless, as user 1000 after SCRIPT, where systemd runs.
a_user() {
	here 'mount -t tmpfs none /run && mkdir -p /run/systemd/system && mount -t tmpfs none /var/lib &&
		mkdir -p /var/lib/systemd/linger && '"$1" unshare -U --map-user=1000 "$quod" doctor --for rootless -o json
}

slice=user.slice/user-1000.slice/user@1000.service
own='mount -t tmpfs none /sys/fs/cgroup && mkdir -p /sys/fs/cgroup/'$slice' && echo'

test_rootless() {
	finds caller works 'neither newuidmap nor /etc/subuid' '' 'a user needs no newuidmap' a_user true
	finds ids works "host uid, 1000" '' 'that jails have his uid is as it should be' a_user true
	finds caller less root 'doctor --for rootless' 'root is told to ask as the user' \
		here true "$quod" doctor --for rootless -o json
	finds 'user manager' less 'No such file' 'systemctl start user@1000.service' 'no manager of his' a_user true
	finds 'user manager' works cgroups '' 'one of his' a_user 'mkdir -p /run/user/1000/systemd'
	finds linger less 'No such file' 'loginctl enable-linger ' 'one who does not linger' a_user true
	name=$(awk -F: '$3 == 1000 { print $1; exit }' /etc/passwd)
	finds linger works 'goes on' '' 'one who does' a_user "touch /var/lib/systemd/linger/${name:-1000}"
	finds delegation less 'not delegated to this user: cpu' 'Delegate=cpu memory pids' \
		'a controller that he is not given' a_user "$own memory pids >/sys/fs/cgroup/$slice/cgroup.controllers"
	finds delegation works 'are there' '' 'all that he is given' \
		a_user "$own cpuset cpu io memory pids >/sys/fs/cgroup/$slice/cgroup.controllers"
}

test_container() {
	finds container works 'this is one' '' 'a container is known' \
		here 'mount -t tmpfs none /run && touch /run/.containerenv' "$quod" doctor -o json
}

mkdir "$dir/mnt"
chmod 755 "$dir"
for each in levels cost kernel permission chroot proc core swap files processes interpreter policies \
	rootless container; do
	test_$each
done
tap_done
