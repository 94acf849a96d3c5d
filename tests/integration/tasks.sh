#!/bin/sh
# SPDX-License-Identifier: MIT
# `quod exec` under a policy that allows more than one process: what such a program can
# do, that it can have no more processes than that, that all of them end with it, and that
# nothing else is different. By both libcs, which make processes and threads otherwise.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
tasks=$QUOD_TEST_BUILD/tests/integration/tasks
tasks_js=$QUOD_TEST_BUILD/tests/integration/tasks_js

# policy NAME LINE...: a policy file in $dir.
policy() {
	policy_file=$dir/$1.policy
	shift
	{
		echo '[Limits]'
		printf '%s\n' "$@"
	} >"$policy_file"
}

# jailed POLICY ARGS...: `quod exec ARGS`, watched; then $code, $out, $err as after run.
jailed() {
	jailed_policy=$dir/$1.policy
	shift
	code=0
	timeout -k 5 120 "$QUOD_TEST_BUILD/tests/integration/orphans" "$dir/orphans" \
		$within "$quod" exec -p "$jailed_policy" "$@" </dev/null >"$dir/out" 2>"$dir/err" ||
		code=$?
	out=$(paste -s -d ' ' "$dir/out")
	err=$(cat "$dir/err")
}

# gives NAME WANTED POLICY ARGS...: "CODE STDOUT" is WANTED, nothing is on stderr, and
# nothing is left.
gives() {
	gives_name=$1
	gives_wanted=$2
	shift 2
	jailed "$@"
	is "$code $out$err" "$gives_wanted" "$gives_name"
	is "$(cat "$dir/orphans")" 'orphans 0 left 0' "$gives_name: nothing left"
}

# ends NAME STATUS CODE POLICY ARGS...: it is ended as that.
ends() {
	ends_name=$1
	ends_status=$2
	ends_code=$3
	shift 3
	jailed "$@"
	is "$code" "$ends_code" "$ends_name: exit code"
	has "$err" "quod: $ends_status: " "$ends_name: $ends_status"
	is "$(cat "$dir/orphans")" 'orphans 0 left 0' "$ends_name: nothing left"
}

# ends_bomb NAME POLICY ARGS...: its time is over or its CPU time is, whichever is first.
ends_bomb() {
	bomb_name=$1
	shift
	jailed "$@"
	case "$code $err" in
	'124 quod: timeout: '* | '152 quod: cpu_limit: '*) pass "$bomb_name: is ended" ;;
	*) fail "$bomb_name: is ended" "exit code $code: $err" ;;
	esac
	is "$(cat "$dir/orphans")" 'orphans 0 left 0' "$bomb_name: nothing left"
}

# Who counts: the cgroup of the run, RLIMIT_NPROC, or nobody, where the guest is the
# host's root: of whose processes the kernel asks nothing.
who_counts() {
	run_json -e 1
	if [ "$(field .enforced_by.processes)" = cgroup ]; then
		echo cgroup
	elif [ "$(awk 'NR == 1 { print $2, $3 }' /proc/self/uid_map)" = '0 1' ]; then
		echo nobody
	else
		echo rlimit
	fi
}

test_programs() {
	for program in "$tasks" "$tasks_js"; do
		libc=${program##*/}
		gives "$libc: fork and wait" '0 sum=6' eight -- "$program" fork
		gives "$libc: vfork" '0 status=5' eight -- "$program" vfork
		gives "$libc: threads, a mutex, a condition, join" '0 total=8000' eight -- \
			"$program" threads
		gives "$libc: a signal to a child" '0 signal=15' eight -- "$program" kill
		gives "$libc: a futex in shared memory" '0 woken' eight -- "$program" shared
		gives "$libc: so many processes and no more" '0 made=7 EAGAIN' eight -- \
			"$program" count
		gives "$libc: threads are counted as well" '0 made=7 EAGAIN' eight -- \
			"$program" count-threads
		gives "$libc: two" '0 made=1 EAGAIN' two -- "$program" count
		gives "$libc: one" '0 made=0 ENOSYS' one -- "$program" count
		gives "$libc: pid 1 goes before its child" '7 gone' eight -- "$program" early
	done
}

test_refused() {
	refused='newns newcgroup newuts newipc newuser newpid newnet newtime parent ptrace pidfd'
	wanted=
	for flag in $refused; do
		wanted="$wanted$flag=ENOSYS "
	done
	gives 'no other clone, no exec' \
		"0 ${wanted}plain=ok clone3=ENOSYS execve=ENOSYS execveat=EACCES spawn=ENOSYS" \
		eight -- "$tasks" refused
	ends 'a forbidden call of a child' violation 159 eight -- "$tasks" violate
	has "$err" "tried socket" 'a forbidden call of a child: named'
}

# Some leaf of a run has eight processes of eight, and has refused one.
leaf_is_full() {
	find /sys/fs/cgroup -type d -name '*.run' | while read -r leaf; do
		case $(cd "$leaf" && cat pids.max pids.current pids.events | paste -s -d ' ') in
		'8 8 max '[1-9]*) echo full ;;
		esac
	done | grep -q full
}

# The processes of the same caller, in jails or not, are not in the count.
test_own_count() {
	sleepers=
	for _ in 1 2 3 4 5 6 7 8 9; do
		sleep 100 &
		sleepers="$sleepers $!"
	done
	mkfifo "$dir/fifo" 2>/dev/null || :
	# shellcheck disable=SC2086 # $within is words
	$within "$quod" exec -p "$dir/eight.policy" -- "$tasks" hold <"$dir/fifo" >"$dir/held" &
	held=$!
	exec 3>"$dir/fifo"
	await_line "$dir/held" made
	[ "$counts$within" != cgroup ] || holds 'the cgroup counts' leaf_is_full
	gives 'beside others of the caller' '0 made=7 EAGAIN' eight -- "$tasks" count
	echo >&3
	exec 3>&-
	wait $held
	is "$(cat "$dir/held")" 'made=7 EAGAIN' 'at the same time'
	# shellcheck disable=SC2086
	kill $sleepers
	# shellcheck disable=SC2086
	wait $sleepers 2>"$dir/err" || :
}

test_bombs() {
	ends_bomb 'a bomb' bomb -- "$tasks" bomb
	is "$out" ready 'a bomb: what it wrote is there'
	ends_bomb 'a bomb of as many as there can be' most -- "$tasks" bomb
	gives 'after a bomb' '0 sum=6' eight -- "$tasks" fork
	rm -f "$dir/out"
	"$quod" exec -p "$dir/long.policy" -- "$tasks" bomb >"$dir/out" 2>"$dir/err" &
	bomb=$!
	await_line "$dir/out" ready
	guest=$(child_of $bomb)
	kill -TERM $bomb
	code=0
	wait $bomb || code=$?
	is $code 130 'a bomb, cancelled'
	has "$(cat "$dir/err")" 'quod: cancelled' 'a bomb, cancelled: told'
	await_gone "$guest"
	holds 'a bomb, cancelled: gone' test ! -d "/proc/$guest"
	rm -f "$dir/out"
	"$quod" exec -p "$dir/long.policy" -- "$tasks" bomb >"$dir/out" 2>"$dir/err" &
	bomb=$!
	await_line "$dir/out" ready
	guest=$(child_of $bomb)
	kill -KILL $bomb
	wait $bomb 2>"$dir/err" || :
	await_gone "$guest"
	holds 'a bomb whose quod is killed: gone' test ! -d "/proc/$guest"
	holds 'bombs: nothing of them is left' none_left
}

# What a pid 1 takes along is gone before it is.
none_left() {
	for words in /proc/[0-9]*/cmdline; do
		case $(tr '\000' ' ' <"$words" 2>/dev/null) in
		"$tasks bomb "*)
			echo "$words"
			return 1
			;;
		esac
	done
}

test_cpu() {
	ends 'CPU time: of children that were waited for' cpu_limit 152 little -- "$tasks" relay
	ends 'CPU time: of children that run' cpu_limit 152 little -- "$tasks" burn
}

test_apart() {
	gives 'the pages of a program: within a jail' '0 ready woken woke=1' eight -- \
		"$tasks" page-both
	# shellcheck disable=SC2086
	$within "$quod" exec -p "$dir/long.policy" -- "$tasks" page-wait >"$dir/waiter" 2>&1 &
	waiter=$!
	await_line "$dir/waiter" ready
	gives 'the pages of a program: not between jails' '0 woke=0' long -- "$tasks" page-wake
	is "$(cat "$dir/waiter")" ready 'the pages of a program: nobody was woken'
	kill -TERM $waiter
	wait $waiter || :
}

test_program_file() {
	cp "$tasks" "$dir/program"
	chmod a-x "$dir/program"
	jailed eight -- "$dir/program" fork
	is "$code" 126 'a program that is not executable'
	has "$err" "cannot copy '$dir/program': Permission denied" 'not executable: told'
	jailed eight -- "$dir" fork
	has "$err" "cannot copy '$dir': " 'a directory: told'
	head -c $((64 * 1024 * 1024 + 1)) /dev/zero >"$dir/program"
	chmod a+x "$dir/program"
	jailed eight -- "$dir/program"
	has "$err" "cannot copy '$dir/program': File too large" 'a program that is too large: told'
	rm "$dir/program"
	echo 'not a program' >"$dir/program"
	chmod a+x "$dir/program"
	jailed eight -- "$dir/program"
	has "$err" 'static ELF program' 'no program: told'
}

test_range() {
	for most in 0 1025 -1; do
		policy range TasksMax=$most
		jailed range -- "$tasks" fork
		is "$code" 125 "TasksMax=$most: refused"
		has "$err" TasksMax "TasksMax=$most: told"
	done
}

test_run() {
	run_json -p "$dir/eight.policy" -e '1 + 1'
	record_has '.status == "ok" and .value == 2 and .limits.processes == 1 and
		(.enforced_by.processes | IN("cgroup", "filter"))' 'a script is one process all the same'
}

test_not_held() {
	jailed eight -- "$tasks" fork
	is "$code" 125 'nothing would count: no jail'
	has "$err" 'nothing here would hold the limit of 8 processes' 'nothing would count: told'
	is "$out" '' 'nothing would count: nothing ran'
	gives 'nothing would count: one process runs' '0 made=0 ENOSYS' one -- "$tasks" count
	has "$("$quod" doctor)" 'does not bind the caller' 'nothing would count: the doctor knows'
}

within=
policy eight TasksMax=8 RuntimeMaxSec=60 CPUTimeMaxSec=60
policy two TasksMax=2 RuntimeMaxSec=60 CPUTimeMaxSec=60
policy one TasksMax=1 RuntimeMaxSec=60 CPUTimeMaxSec=60
policy bomb TasksMax=64 RuntimeMaxSec=700ms CPUTimeMaxSec=700ms CPUQuota=6400%
policy most TasksMax=1024 RuntimeMaxSec=900ms CPUQuota=6400%
policy long TasksMax=64 RuntimeMaxSec=100 CPUTimeMaxSec=100
policy little TasksMax=8 RuntimeMaxSec=60 CPUTimeMaxSec=300ms

test_run
test_range
counts=$(who_counts)
if [ "$counts" = nobody ]; then
	test_not_held
	tap_done
fi
test_programs
test_refused
test_own_count
test_bombs
test_cpu
test_apart
test_program_file
# In a user namespace that is not the host's root's.
if [ "$(id -u)" -ne 0 ] && unshare -r true 2>/dev/null; then
	within='unshare -r'
	gives 'in a user namespace: so many and no more' '0 made=7 EAGAIN' eight -- "$tasks" count
	ends_bomb 'in a user namespace: a bomb' bomb -- "$tasks" bomb
	test_own_count
fi
tap_done
