# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # the variables are for the tests that include this
# What the shell tests share: TAP, running quod, looking into records. A test includes it,
# makes its checks and ends with `tap_done`:
#
#	. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
#	run_json -e '1+1'
#	is "$code" 0 'exit code'
#	record_has '.status == "ok" and .value == 2' 'the sum'
#	tap_done
#
# Each test has a directory of its own to write in, $dir, which goes away with it.
: "${QUOD_TEST_BUILD:?}" "${QUOD_TEST_SOURCE:?}" "${QUOD_TEST_MODE:=caller}"
quod=$QUOD_TEST_BUILD/quod
quod_js=$QUOD_TEST_BUILD/quod-js
QUOD_JS=$quod_js
QUOD_SCOPE=$QUOD_TEST_BUILD/quod-scope
export QUOD_JS QUOD_SCOPE
dir=$(mktemp -d "${TMPDIR:-/tmp}/quod-test.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM HUP
unset QUOD_POLICY QUOD_POLICY_PATH

tap_count=0

# pass NAME / fail NAME [WHY]
pass() {
	tap_count=$((tap_count + 1))
	printf 'ok %d - %s\n' $tap_count "$1"
}

fail() {
	tap_count=$((tap_count + 1))
	printf 'not ok %d - %s\n' $tap_count "$1"
	[ $# -lt 2 ] || printf '%s\n' "$2" | head -n 20 | cut -c 1-300 | sed 's/^/# /'
}

# skip NAME WHY: the check cannot be made here. In CI that is a failure.
skip() {
	tap_count=$((tap_count + 1))
	if [ "${CI:-}" = true ]; then
		printf 'not ok %d - %s (skipped: %s)\n' $tap_count "$1" "$2"
	else
		printf 'ok %d - %s # SKIP %s\n' $tap_count "$1" "$2"
	fi
}

tap_done() {
	printf '1..%d\n' $tap_count
	exit 0
}

# is GOT WANTED NAME
is() {
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3" "got: $1
wanted: $2"
	fi
}

# holds NAME COMMAND...: passes if the command succeeds.
holds() {
	holds_name=$1
	shift
	if holds_out=$("$@" 2>&1); then
		pass "$holds_name"
	else
		fail "$holds_name" "failed: $*
$holds_out"
	fi
}

# has TEXT PATTERN NAME: a shell pattern somewhere in the text.
has() {
	case $1 in
	*$2*) pass "$3" ;;
	*) fail "$3" "no '$2' in: $1" ;;
	esac
}

# run ARGS...: `quod run ARGS`, then $code, $out, $err. Standard input is empty; see
# run_with. Nothing that runs here takes long: the minute is against a hang.
run() {
	run_with /dev/null "$@"
}

run_with() {
	run_in=$1
	shift
	code=0
	timeout -k 5 60 "$quod" run "$@" <"$run_in" >"$dir/out" 2>"$dir/err" || code=$?
	out=$(tr -d '\000' <"$dir/out")
	err=$(tr -d '\000' <"$dir/err")
}

# run_json ARGS...: the same with -o json; the record is in $dir/out.
run_json() {
	run -o json "$@"
}

# field JQ-FILTER: of the record, as plain text.
field() {
	jq -r "$1" "$dir/out" 2>&1
}

# record_has JQ-FILTER NAME: the filter gives true for the record.
record_has() {
	# jq 1.6 finds nothing wrong with nothing.
	if [ -s "$dir/out" ] && jq -e "$1" "$dir/out" >/dev/null 2>&1; then
		pass "$2"
	else
		fail "$2" "not so: $1
exit code $code
$(head -c 1500 "$dir/out")
$err"
	fi
}

# ends_as STATUS CODE NAME: both the record's status and quod's exit code.
ends_as() {
	is "$(field .status) $code" "$1 $2" "$3"
}

# What runs in the background is waited for by what it does; the bound is against a hang.
# A file that is written to again is removed before: `>` is a deed of the background too,
# and what the last one wrote is there until then.

# await_line FILE TEXT: until the text is in the file.
await_line() {
	for _ in $(seq 500); do
		! grep -q "$2" "$1" 2>/dev/null || return 0
		sleep 0.02
	done
}

# child_of PID: the first child of a process, once it has one.
child_of() {
	for _ in $(seq 500); do
		child_found=$(cut -d ' ' -f 1 "/proc/$1/task/$1/children" 2>/dev/null)
		if [ -n "$child_found" ]; then
			echo "$child_found"
			return
		fi
		sleep 0.02
	done
}

# await_gone PID: until there is no such process.
await_gone() {
	for _ in $(seq 500); do
		[ -d "/proc/$1" ] || return 0
		sleep 0.02
	done
}
