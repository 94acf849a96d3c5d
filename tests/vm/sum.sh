#!/bin/sh
# SPDX-License-Identifier: MIT
# sum.sh GUEST PID TOTALS: reads what suite.sh writes from standard input; prints one line for
# each test, and what failed; writes to the file TOTALS: passed, failed, and 1 if the guest
# came to its end; what failed is in TOTALS.bad once more. PID is the machine's parent: for its CPU time, which says more than a
# clock does where several compete.
# A test that does not say what it did has failed, and so has a guest without an end.
set -u
guest=$1
parent=$2
totals=$3
passed=0
failed=0
complete=0
test=
cpu_at_begin=0

# In hundredths of a second, user and system.
cpu() {
	pid=$(cut -d ' ' -f 1 "/proc/$parent/task/$parent/children" 2>/dev/null)
	cut -d ' ' -f 14,15 "/proc/${pid:-none}/stat" 2>/dev/null | {
		read -r user system || user=0 system=0
		echo $(((user + system) * 100 / ticks))
	}
}
ticks=$(getconf CLK_TCK)

tell() {
	printf '%s: %s\n' "$guest" "$1"
}

tell_bad() {
	tell "$1" | tee -a "$totals.bad"
}

bad() {
	failed=$((failed + 1))
	test_failed=$((test_failed + 1))
	tell_bad "$test: $1"
}

begin() {
	test="$2 as $1"
	results=0
	plan=
	test_passed=0
	test_failed=0
	failing=
	cpu_at_begin=$(cpu)
}

# finish STATUS SECONDS
finish() {
	if [ "$plan" != "1..$results" ]; then
		bad "plan '$plan', but $results results"
	elif [ "$1" != 0 ] && [ $test_failed = 0 ]; then
		bad "exit status $1"
	fi
	tell "$test: $test_passed passed, $test_failed failed, $2 s, $((($(cpu) - cpu_at_begin) / 100)) s of CPU"
	test=
}

# One line of a test. The guests are there so that nothing need be left out: a skip fails.
result() {
	case $1 in
	'ok '*'# SKIP'* | 'not ok '*)
		results=$((results + 1))
		bad "$1"
		failing=1
		;;
	'ok '*)
		results=$((results + 1))
		test_passed=$((test_passed + 1))
		passed=$((passed + 1))
		failing=
		;;
	1..*)
		plan=$1
		;;
	'#'*)
		case $failing$test in
		1*) tell_bad "    $1" ;;
		tests/vm/*) tell "    $1" ;;
		esac
		;;
	esac
}

while IFS= read -r line; do
	case $line in
	'#vm begin '*)
		# shellcheck disable=SC2086 # words
		set -- $line
		begin "$3" "$4"
		;;
	'#vm end '*)
		# shellcheck disable=SC2086 # words
		set -- $line
		finish "$3" "$4"
		;;
	'#vm done')
		complete=1
		;;
	'#vm '*)
		test=start test_failed=0
		bad "${line#'#vm '}"
		test=
		;;
	*)
		[ -z "$test" ] || result "$line"
		;;
	esac
done
[ -z "$test" ] || bad 'no end'
if [ $complete = 0 ]; then
	test='the guest' test_failed=0
	bad 'did not come to its end'
fi
echo "$passed $failed $complete" >"$totals"
