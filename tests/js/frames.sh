#!/bin/sh
# SPDX-License-Identifier: MIT
# When frames are written: each wakes the host, so what ends a run goes in one write; but
# nothing waits for code that may take all the time there is.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/engines.sh"
js=$QUOD_TEST_BUILD/quod-js
drive=$QUOD_TEST_BUILD/tests/js/drive

# told JQ SOURCE OPTIONS...
told() {
	told_filter=$1
	printf '%s\n' "$2" >"$dir/source"
	shift 2
	"$drive" "$@" "$js" <"$dir/source" 2>&1 | jq -c "$told_filter"
}

# READY and GATE are two, each waited for.
test_writes() {
	is "$(told '[.text, .writes, .exit]' '1+1' "$1")" '["2",3,0]' "$2: a value and the end: one write"
	is "$(told '[.error.message, .writes, .exit]' 'throw new Error("x")' "$1")" '["x",3,0]' \
		"$2: an error and the end: one write"
	is "$(told '[.error.name, .writes]' 'var 1' "$1")" '["SyntaxError",3]' \
		"$2: one of the compiler and the end: one write"
	is "$(told '[.logs[0], .text, .writes]' 'console.log(1); 2' "$1")" '["log: 1","2",4]' \
		"$2: what is logged is written at once"
	is "$(told '[(.text | length), .exit]' 'var s = "x"; while (s.length < 20000) s += s; s' "$1")" \
		'[32768,0]' "$2: a value of many writes"
	is "$(told '[.text, (.limit != null), .exit]' 'var s = "x"; while (s.length < 70000) s += s; s' "$1")" \
		'[null,true,0]' "$2: a value that is too large"
}

test_code_follows() {
	is "$(told '[.text, .timeout]' 'setTimeout(function () { for (;;); }, 1); 7' "$1" --timeout=1500)" \
		'["7",true]' "$2: a timer that never ends: the value is told"
	is "$(told '[.text, .error.message, .writes]' \
		'setTimeout(function () { throw new Error("late") }, 1); 7' "$1")" \
		'["7","late",4]' "$2: and before the error of a timer"
}

test_tasks() {
	is "$(told '[.text, .timeout]' 'queueMicrotask(function () { for (;;); }); 7' "$1" --timeout=1500)" \
		'["7",true]' "$2: a microtask that never ends: the value is told"
}

test_writes --engine=1 duktape
test_code_follows --engine=1 duktape
test_tasks --engine=1 duktape
if engine_is_tested quickjs; then
	test_writes --engine=2 quickjs
	test_code_follows --engine=2 quickjs
	test_tasks --engine=2 quickjs
fi
tap_done
