#!/bin/sh
# SPDX-License-Identifier: MIT
# `quod exec`: any static program in the same jail. The jail's walls themselves are tested
# in tests/escape; here it is the command line around them.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/integration/refused.sh"
inmate=$QUOD_TEST_BUILD/tests/escape/inmate
parrot=$QUOD_TEST_BUILD/tests/integration/parrot

# jailed ARGS...: `quod exec ARGS`, watched; then $code, $out, $err as after run.
jailed() {
	code=0
	timeout -k 5 60 "$QUOD_TEST_BUILD/tests/integration/orphans" "$dir/orphans" \
		"$quod" exec "$@" </dev/null >"$dir/out" 2>"$dir/err" || code=$?
	out=$(cat "$dir/out")
	err=$(cat "$dir/err")
}

test_exit_codes() {
	for wanted in 0 1 2 3 7 98 99 124 125 130 255; do
		jailed -- "$inmate" exit $wanted
		is "$code:$err" "$wanted:" "exit code $wanted is the program's own"
	done
	jailed -- "$inmate" abort
	if [ $code -gt 128 ] && [ $code -lt 160 ]; then
		has "$err" "quod: crashed: '$inmate' was killed by SIG" 'a signal: 128+n, and its name'
	else
		fail 'a signal: 128+n' "exit code $code"
	fi
	is "$(cat "$dir/orphans")" 'orphans 0 left 0' 'nothing left'
	jailed "$inmate" exit 4
	is $code 4 'without --'
	# What is quod's own is above 123, and comes with a line.
	while read -r wanted said words; do
		# shellcheck disable=SC2086 # words
		jailed $words
		has "$code $err" "$wanted quod: $said" "exit code $wanted: $words"
	done <<-END
		124 timeout: --timeout 100ms -- $inmate spin
		125 unknown --nonsense -- $inmate exit 0
		125 a -p default
		125 no -p nonsense -- $inmate exit 0
		126 execute -- /bin/true
		127 cannot -- $dir/nothing
		127 cannot -- $inmate/nothing
	END
	jailed --timeout 5s -- "$inmate" exit 5
	is $code 5 'with an option'
	jailed -- "$inmate" environment --timeout
	has "$out" 'arg=--timeout' 'what follows the program is its own'
}

test_relay() {
	# Nothing of a 4 MB stream may be lost or changed: all byte values, in no order.
	i=0
	while [ $i -lt 4 ]; do
		head -c 1000003 "$quod"
		head -c 20001 /dev/zero
		i=$((i + 1))
	done >"$dir/sent"
	code=0
	"$quod" exec -- "$parrot" 9 <"$dir/sent" >"$dir/got" 2>"$dir/err" || code=$?
	is "$code $(cat "$dir/err")" '9 that is all' 'stdin comes to an end, stderr is relayed'
	holds 'four megabytes, to the byte' cmp "$dir/sent" "$dir/got"
	# shellcheck disable=SC2002
	cat "$dir/sent" | "$quod" exec -- "$parrot" 2>"$dir/err" | cat >"$dir/got"
	holds 'through pipes' cmp "$dir/sent" "$dir/got"
	mkfifo "$dir/fifo"
	"$quod" exec -- "$parrot" <"$dir/sent" >"$dir/fifo" 2>"$dir/err" &
	{
		head -c 1000 >"$dir/got"
		sleep 0.3
		cat >>"$dir/got"
	} <"$dir/fifo"
	wait $!
	holds 'to a slow reader' cmp "$dir/sent" "$dir/got"
	"$quod" exec -- "$inmate" exit 3 <"$dir/sent"
	is $? 3 'a program that does not read its input'
	{
		"$quod" exec -- "$parrot" <"$dir/sent" 2>"$dir/err" 4>&-
		echo $? >"$dir/code"
	} | head -c 10 >"$dir/got"
	is "$(cat "$dir/code") $(wc -c <"$dir/got")" '130 10' 'a reader that goes'
	code=0
	"$quod" exec -- "$parrot" <"$dir/sent" >/dev/full 2>"$dir/err" || code=$?
	is $code 125 'stdout is full'
	has "$(cat "$dir/err")" 'No space left' 'and why'
	code=0
	"$quod" exec -- "$parrot" 9 2 <"$dir/sent" 2>/dev/full || code=$?
	is $code 9 'stderr is full: nobody waits for it'
	{
		code=0
		"$quod" exec -- "$parrot" 9 2 <"$dir/sent" 2>&1 >"$dir/out" || code=$?
		echo $code >"$dir/code"
	} | head -c 10 >"$dir/got"
	is "$(cat "$dir/code") $(wc -c <"$dir/got")" '9 10' 'the reader of stderr goes: the same'
}

test_limits() {
	for what in spin pause tree; do
		jailed --timeout 300ms -- "$inmate" $what 3
		is "$code:$out" 124:ready=1 "$what: killed at the deadline, what it said is kept"
		has "$err" 'quod: timeout: ' "$what: stderr says why"
		is "$(cat "$dir/orphans")" 'orphans 0 left 0' "$what: nothing left"
	done
	jailed --memory 8M -- "$inmate" memory 200
	case $code:$out in
	0:*stopped=ENOMEM*mib=[0-9] | 0:*stopped=ENOMEM*mib=1[0-9] | 137:*) pass 'memory ends at the limit' ;;
	*) fail 'memory ends at the limit' "exit code $code: $out" ;;
	esac
	jailed -- "$inmate" rlimits
	for line in nofile=0 fsize=0 memlock=0 msgqueue=0 core=1 cpu=7; do
		has "$out" $line "the program's $line"
	done
	jailed -- "$inmate" fork
	has "$out" fork=ENOSYS 'no second process'
	jailed --timeout 1h -- "$inmate" exit 0
	is $code 125 'no limit above the policy'
}

# A signal that was pending before quod began is seen while the jail is still being made:
# a program that never ran has not ended well. One that would end by itself might do so first.
test_cancelled() {
	for _ in 1 2 3; do
		code=0
		timeout -k 5 60 "$QUOD_TEST_BUILD/tests/integration/orphans" "$dir/orphans" \
			env --block-signal=TERM sh -c 'kill -TERM $$; exec "$@"' sh \
			"$quod" exec -- "$inmate" pause </dev/null >"$dir/out" 2>"$dir/err" || code=$?
		is "$code" 130 'cancelled during set-up'
		has "$(cat "$dir/err")" 'quod: cancelled: ' 'cancelled during set-up: stderr says so'
		is "$(cat "$dir/orphans")" 'orphans 0 left 0' 'cancelled during set-up: nothing left'
	done
}

test_walls() {
	jailed -- "$inmate" syscall 99999
	has "$out" syscall=ENOSYS 'a call that nobody knows: ENOSYS'
	jailed -- "$inmate" root
	has "$out" 'create=ENOSYS' 'no file can be opened'
	QUOD_SECRET=leak jailed -- "$inmate" environment x
	has "$out" 'environment=0' 'the environment is empty'
	jailed -- "$inmate" caps
	has "$out" 'sets=0' 'no capabilities'
}

# ask NUMBER: what a system call answers under the policy in $dir/calls.policy.
ask() {
	jailed -p "$dir/calls.policy" -- "$inmate" syscall "$1"
	out=$(echo "$out" | sed -n 's/^syscall=//p')
}

test_policy_calls() {
	case $(uname -m) in
	x86_64) getpid=39 getppid=110 gettid=186 socket=41 ;;
	*) getpid=172 getppid=173 gettid=178 socket=198 ;;
	esac
	printf '[Jail]\nSystemCallFilter=~getpid getppid\nSystemCallFilter=getpid\n' >"$dir/calls.policy"
	ask $getppid
	is "$code:$out" 0:ENOSYS 'a call that the policy takes away'
	ask $getpid
	is "$code:$out" 0:ok 'one that it gives back'
	ask $gettid
	is "$code:$out" 0:ok 'one that it does not name'
	ask $socket
	has "$code $err" "159 quod: violation: '$inmate' tried socket" 'a dangerous one is named and kills as ever'
	"$quod" policy show "$dir/calls.policy" >"$dir/shown.policy"
	has "$(cat "$dir/shown.policy")" "# $dir/calls.policy:3
SystemCallFilter=
SystemCallFilter=~getppid" 'policy show'
	cp "$dir/shown.policy" "$dir/calls.policy"
	ask $getppid
	is "$code:$out" 0:ENOSYS 'and what is shown does the same'

	# What the C library of a static program calls before it begins.
	printf '[Jail]\nSystemCallFilter=read brk mmap mprotect munmap arch_prctl set_tid_address\n%s\n' \
		'SystemCallFilter=set_robust_list rseq readlink readlinkat getrandom getpid' >"$dir/calls.policy"
	ask $getpid
	is "$code:$out" 0:ok 'an exact list: a call that is in it'
	ask $getppid
	is "$code:$out" 0:ENOSYS 'a call that is not'
	jailed -p "$dir/calls.policy" -- "$dir/none"
	is $code 127 'a program that cannot be started is told under it, too'
	cp "$quod" "$dir/notelf" && head -c 64 "$quod" >"$dir/notelf"
	jailed -p "$dir/calls.policy" -- "$dir/notelf"
	has "$code $err" '126 quod: execute' 'also one that the kernel refuses last of all'

	printf '[Jail]\nSystemCallFilter=socket\n' >"$dir/wide.policy"
	jailed -p "$dir/wide.policy" -- "$inmate" exit 0
	has "$code $err" "125 quod: $dir/wide.policy:2:18: SystemCallFilter=: 'socket' is not in the list of quod exec, which is never widened" \
		'a policy cannot widen the list'
	printf '[Jail]\nSystemCallFilter=~ptrace\n' >"$dir/twice.policy"
	err=$("$quod" policy test "$dir/twice.policy" 2>&1)
	has "$err" 'twice.policy:2:19: warning: SystemCallFilter=: ptrace is refused anyway' 'what is refused anyway is warned of'
	run -p "$dir/calls.policy" -e '[1, 2].map(function (x) { return x * 2; })'
	is "$code $out" '0 [2,4]' 'a script has a list of its own'
}

test_refusals() {
	refused 126 'the program must be static' 'a dynamic program' "$quod" exec -- /bin/true
	printf '#!/bin/sh\nexit 0\n' >"$dir/script"
	chmod 755 "$dir/script" "$dir"
	refused 126 'the program must be static' 'a script' "$quod" exec -- "$dir/script"
	echo text >"$dir/text"
	refused 126 'chmod a+x' 'a file that is not executable' "$quod" exec -- "$dir/text"
	chmod 755 "$dir/text"
	refused 126 'not a complete static ELF program' 'a text' "$quod" exec -- "$dir/text"
	head -c 64 "$inmate" >"$dir/text"
	refused 126 'not a complete static ELF program' 'a program that is cut' "$quod" exec -- "$dir/text"
	refused 126 'must be a regular file' 'a directory' "$quod" exec -- "$dir"
	refused 127 'No such file' 'a program that is not there' "$quod" exec -- "$dir/none"
	refused 127 "cannot open ''" 'an empty name' "$quod" exec -- ''
	mkdir "$dir/mnt"
	# The words of sh -c are its own.
	# shellcheck disable=SC2016
	refused 126 'noexec' 'a noexec mount' unshare -rm sh -c 'mount -t tmpfs -o noexec none "$1" &&
		cp "$2" "$1/x" && exec "$3" exec -- "$1/x" exit 0' sh "$dir/mnt" "$inmate" "$quod"
}

test_exit_codes
test_relay
test_limits
test_cancelled
test_walls
test_policy_calls
test_refusals
tap_done
