# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154 # lib.sh has set them
# For tests of what cannot work; included after lib.sh. A refusal is one sentence on
# stderr, nothing on stdout, and no process left behind.

# refused CODE PART NAME COMMAND...: PART, literally, is somewhere in the sentence.
refused() {
	refused_with /dev/null "$@"
}

# The same with a standard input.
refused_with() {
	refused_in=$1
	refused_code=$2
	refused_part=$3
	refused_name=$4
	shift 4
	code=0
	timeout -k 5 60 "$QUOD_TEST_BUILD/tests/integration/orphans" "$dir/orphans" "$@" \
		<"$refused_in" >"$dir/out" 2>"$dir/err" || code=$?
	wrong=
	[ $code = "$refused_code" ] || wrong="exit code $code instead of $refused_code"
	[ ! -s "$dir/out" ] || wrong="$wrong; stdout: $(head -c 300 "$dir/out")"
	[ "$(wc -l <"$dir/err")" = 1 ] || wrong="$wrong; not one line"
	grep -q '^quod: ' "$dir/err" || wrong="$wrong; not quod's"
	grep -qF -e "$refused_part" "$dir/err" || wrong="$wrong; no '$refused_part'"
	[ "$(cat "$dir/orphans")" = 'orphans 0 left 0' ] || wrong="$wrong; $(cat "$dir/orphans")"
	if [ -z "$wrong" ]; then
		pass "$refused_name"
	else
		fail "$refused_name" "$wrong
stderr: $(cat "$dir/err")"
	fi
}
