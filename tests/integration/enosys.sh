#!/bin/sh
# SPDX-License-Identifier: MIT
# An old kernel, or a container whose filter answers ENOSYS or EPERM to what jails are made
# of: a clear refusal that names the stage, never a half-made jail, and a doctor who knows.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/integration/refused.sh"
deny=$QUOD_TEST_BUILD/tests/integration/deny
inmate=$QUOD_TEST_BUILD/tests/escape/inmate

# denied CALL STAGE PROBE REMEDY: PROBE is the doctor's, and what he says of it.
denied() {
	for errno in ENOSYS EPERM; do
		refused 125 "quod: internal_error: $2: " "$1 answers $errno: run is refused at $2" \
			"$deny" "$1" $errno "$quod" run -e 'console.log("ran"); 42'
		refused 125 "quod: internal_error: $2: " "$1 answers $errno: exec too" \
			"$deny" "$1" $errno "$quod" exec -- "$inmate" root
		code=0
		"$deny" "$1" $errno "$quod" doctor -o json >"$dir/out" 2>"$dir/err" || code=$?
		record_has '.can_run == false' "$1 answers $errno: the doctor says that nothing can run"
		is $code 1 "$1 answers $errno: the doctor's exit code"
		record_has ".probes[] | select(.name == \"$3\") | .state == \"fails\"" \
			"$1 answers $errno: the doctor says that '$3' fails"
	done
	refused 125 "$4" "$1: run says what to do" "$deny" "$1" ENOSYS "$quod" run -e 42
	"$deny" "$1" ENOSYS "$quod" doctor -o json >"$dir/out" 2>"$dir/err"
	record_has ".probes[] | select(.name == \"$3\") | .remedy | contains(\"$4\")" \
		"$1: so does the doctor"
	for kind in json ndjson; do
		code=0
		"$deny" "$1" ENOSYS "$quod" run -o $kind -e 42 >"$dir/out" 2>"$dir/err" || code=$?
		is "$code $(wc -l <"$dir/out")" '125 1' "$1: $kind is one record"
		record_has ".status == \"internal_error\" and .value == null and
			(.error.message | startswith(\"$2: \"))" "$1: $kind says why"
	done
}

denied clone3 clone clone3 'a seccomp filter around quod forbids it'
denied fsopen rootfs 'empty root' 'a seccomp filter around quod forbids it'
denied fsmount rootfs 'empty root' 'a seccomp filter around quod forbids it'
denied move_mount rootfs 'empty root' 'a seccomp filter around quod forbids it'
denied pivot_root rootfs 'empty root' 'a seccomp filter around quod forbids it'
denied close_range fds close_range 'a seccomp filter around quod forbids it'
denied pidfd_open lifeline pidfd 'a seccomp filter around quod forbids it'
denied seccomp filter seccomp 'CONFIG_SECCOMP_FILTER'

# A jail that could not be killed must not be there, or be ended some other way.
for program in "run --timeout 200ms -e for(;;);" "exec --timeout 200ms -- $inmate pause"; do
	code=0
	# shellcheck disable=SC2086
	timeout -k 5 60 "$QUOD_TEST_BUILD/tests/integration/orphans" "$dir/orphans" \
		"$deny" pidfd_send_signal ENOSYS "$quod" $program >"$dir/out" 2>"$dir/err" || code=$?
	case "$code $(sed 's/orphans [01]/orphans few/' "$dir/orphans")" in
	'124 orphans few left 0' | '125 orphans few left 0') pass "no kill by pidfd: ${program%% *} ends" ;;
	*) fail "no kill by pidfd: ${program%% *} ends" "$code $(cat "$dir/orphans" "$dir/err")" ;;
	esac
done
tap_done
