#!/bin/sh
# SPDX-License-Identifier: MIT
# One run from outside: logs, values, verdicts, places of errors, timers, input, replay and
# cases. The guest's own claims are checked against what quod prints.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

# text_is SOURCE WANTED NAME: the value as text, under the default policy.
text_is() {
	run_json -e "$1"
	is "$(field .value_text)" "$2" "$3"
}

# log_is EXPRESSIONS WANTED NAME: how console.log shows its arguments.
log_is() {
	run_json -e "console.log($1)"
	is "$(field '.logs[0].text')" "$2" "$3"
}

# error_at FILE LINE COLUMN NAME: column "null" where the engine does not know it.
error_at() {
	run_json "$dir/$1"
	is "$(field '"\(.status) \(.error.line) \(.error.column)"')" "error $2 $3" "$4"
}

test_logs_survive() {
	spin='console.log("first"); console.warn("second"); '
	wanted='[.logs[].text] == ["first", "second"]'
	run_json -e "$spin throw new Error('x')"
	record_has "$wanted and .status == \"error\"" 'logs before a throw'
	run_json --timeout 300ms -e "$spin for (;;);"
	record_has "$wanted and .status == \"timeout\"" 'logs before a timeout'
	run_json -e "$spin var a = []; for (;;) a.push([1, 2, 3, 4, 5, 6, 7, 8]);"
	record_has "$wanted and .status == \"memory_limit\"" 'logs before the memory ends'
	run_json -e "$spin new Array(70000).join('x')"
	record_has "$wanted and .status == \"output_limit\"" 'logs before too large a value'
	run --timeout 300ms -e "$spin for (;;);"
	is "$code $out" '124 first' 'text: the first line is there after a kill'
}

# What would help is said, and only where it would.
test_hints() {
	run --engine duktape -e 'var f = function (x) { return x; }; x => x'
	has "$err" "speaks ECMAScript 5, and 'x => x' at -e:1:37" \
		'newer syntax: what it is, and where'
	run -e 'var x = ;'
	is "$(printf '%s' "$err" | grep -c 'ECMAScript')" 0 'a mistake in any version: not'
	run -p verify -e '(function f() { f(); })()'
	has "$err" "RangeError: callstack limit at -e:1; the limit is 100 (set by policy 'verify')" \
		'the depth of calls is a limit like the others'
	printf '{"id":"a\\nb","input":1}\n' >"$dir/cases"
	run --cases "$dir/cases" -e 'throw 1'
	has "$err" 'quod: case a\\x0ab: uncaught' 'a case is named'
}

# The reader has the line while the script still spins: the run is ended by a signal, and
# the record would say timeout had the line come only at the end.
test_logs_as_they_happen() {
	mkfifo "$dir/fifo"
	for kind in text ndjson; do
		"$quod" run -o $kind -e 'console.log("now"); for (var n = 1; n > 0;);' >"$dir/fifo" 2>"$dir/err" &
		pid=$!
		code=0
		{
			read -r line
			kill -TERM $pid
			cat >"$dir/rest"
			wait $pid || code=$?
		} <"$dir/fifo"
		has "$line" now "$kind: a line is shown while the script runs"
		is $code 130 "$kind: the run was still going on then"
	done
}

test_levels() {
	levels='console.error("e"); console.log("l"); console.warn("w"); console.info("i");
		console.debug("d");'
	run_json -e "$levels"
	record_has '[.logs[] | .level + .text] == ["errore","logl","warnw","infoi","debugd"]' \
		'levels in the order of the calls'
	record_has '[.logs[].t_ms] | . == sort and .[0] >= 0' 'times do not run backwards'
	run -e "$levels"
	is "$out" 'l
i
d' 'text: log, info and debug on stdout'
	is "$err" 'ERR: e
WARN: w' 'text: error and warn on stderr, each with its prefix'
	run -e 'console.error("a\n\nquod: ok"); console.warn("b\n")'
	is "$err" 'ERR: a
ERR: 
ERR: quod: ok
WARN: b
WARN: ' 'text: and each line of them'
}

# no_forgery NAME ARGS...: of all lines on stderr, by newline or carriage return, one
# begins as quod's do.
no_forgery() {
	name=$1
	shift
	run "$@"
	is "$(tr '\r' '\n' <"$dir/err" | grep -c '^quod: ')" 1 "one line of quod's own: $name"
}

# What quod says of a run is its own word, in a pipe too: no line of it is another's.
test_own_words() {
	forged='\r\nquod: ok'
	no_forgery 'a message' -e "throw new Error('$forged')"
	is "$err" 'quod: uncaught Error: \x0d\x0aquod: ok at -e:1
    at -e:1' 'a message of two lines is shown on one, and once'
	no_forgery 'a name' -e "var e = new Error('x'); e.name = 'y$forged'; throw e"
	no_forgery 'the name of a function' -e "var o = {}; Object.defineProperty(
		Object.defineProperty(o, 'f', {value: function () { throw new Error('x'); }}).f,
		'name', {value: 'y$forged'}); o.f()"
	no_forgery 'a value that is thrown' -e "throw 'y$forged'"
	no_forgery 'an argument of console.error' -e "console.error('y\\nquod: ok'); throw 1"
	line=$(printf 'x\nquod: ok.js')
	echo 'throw 1' >"$dir/$line"
	no_forgery 'the name of a file' "$dir/$line"
	no_forgery 'the name of a cgroup' --cgroup "$line" -e 1
	code=0
	"$quod" exec --cgroup "$line" -- "$quod_js" 2>"$dir/err" || code=$?
	is "$code $(grep -c '^quod: ' "$dir/err")" '125 1' 'exec: the same of the name of a cgroup'
	QUOD_JS=$line "$quod" doctor >"$dir/out" || true
	is "$(grep -c '^quod: ' "$dir/out")" 0 'doctor: a path makes no line'
}

test_arguments() {
	log_is '"a", 1, true, null' 'a 1 true null' 'arguments are joined by one space'
	log_is '' '' 'no argument is an empty line'
	log_is '{b: [1, "x", {c: null}]}' '{"b":[1,"x",{"c":null}]}' 'an object is JSON'
	log_is 'undefined, NaN, -0, Infinity' 'undefined NaN -0 Infinity' 'what JSON lacks'
	log_is 'function foo() {}, /x/g' '[Function: foo] /x/g' 'function and regexp'
	log_is 'Symbol("s"), new Date(0)' 'Symbol(s) 1970-01-01T00:00:00.000Z' 'symbol, date'
	log_is '"%s", 3' '%s 3' 'no format characters'
	run_json -e 'var m = new Map(), c = {}; m.set("k", {v: 1}); c.self = c;
		console.log(m, new Set([1, "2"])); console.log(c); console.log(new Error("boom"))'
	is "$(field '.logs[0].text')" "Map(1) { 'k' => { v: 1 } } Set(2) { 1, '2' }" 'Map, Set'
	has "$(field '.logs[1].text')" Circular 'a circular object'
	has "$(field '.logs[2].text')" 'Error: boom' 'an error'
}

test_values() {
	text_is '1; if (true) { 2 }' 2 'the last expression statement'
	text_is 'for (var i = 0; i < 3; i++) i * 2' 4 'that of a loop'
	text_is 'var x = 3;' undefined 'a declaration has no value'
	text_is 'return 7' 7 'top-level return'
	text_is 'if (true) return {a: [1]}; "late"' '{"a":[1]}' 'return from a block'
	text_is '1 / 0' Infinity 'a value that is no JSON'
	run_json -e '({a: 1, b: [true, null, "x"]})'
	record_has '.value == {a: 1, b: [true, null, "x"]} and .value_is_json' 'value as JSON'
	run_json -e '(function () {})'
	record_has '.value == null and .value_is_json == false and
		(.value_text | contains("Function"))' 'no JSON: null, and a text'
	run -e '"plain"'
	is "$code:$out:$err" '0:plain:' 'text output is the value alone'
}

test_verdict() {
	for value in 1 '"true"' '[true]' '({})' 'new Boolean(true)' null undefined; do
		run_json --verdict -e "$value"
		is "$(field .passed) $code" 'false 1' "$value is not passed"
	done
	run_json --verdict -e true
	is "$(field .passed) $code" 'true 0' 'true is passed'
	run_json -e true
	is "$(field .passed) $code" 'true 0' 'passed without --verdict'
	run_json -e false
	is "$(field .passed) $code" 'false 0' 'not passed without --verdict: exit code 0'
	run_json -p verify -e 1
	is "$(field .passed) $code" 'false 1' 'the policy verify judges without the option'
	run_json -e 'console.log("x"); setTimeout(function () { throw 1 }, 1); true'
	record_has '.value == true and .passed == false and .status == "error"' \
		'true, and then a throw: not passed'
}

test_error_places() {
	printf 'var a;\n\n  a.b;\n' >"$dir/lf.js"
	error_at lf.js 3 null 'line of a throw'
	printf 'var a;\r\n\r\n  a.b;\r\n' >"$dir/crlf.js"
	error_at crlf.js 3 null 'with CRLF'
	printf '\357\273\277#!/usr/bin/env node\r\nvar a;\r\na.b;' >"$dir/bom.js"
	error_at bom.js 3 null 'after a BOM and a shebang'
	printf 'var a;\nif (0) return 1;\na.b;' >"$dir/ret.js"
	error_at ret.js 3 null 'in a source with a top-level return'
	printf 'var a;\n  b c;\n' >"$dir/syn.js"
	error_at syn.js 2 5 'line and column of a syntax error'
	printf 'var a;\r\n  b c;\r\n' >"$dir/syncr.js"
	error_at syncr.js 2 5 'with CRLF'
	printf '\357\273\277b c' >"$dir/synbom.js"
	error_at synbom.js 1 3 'after a BOM'
	printf '"\360\237\230\200"; b c' >"$dir/emoji.js"
	error_at emoji.js 1 8 'after an emoji: columns are characters'
	printf 'return 1; b c' >"$dir/synret.js"
	error_at synret.js 1 13 'on the line of a top-level return'
	record_has '.error.name == "SyntaxError" and .error.phase == "parse"' 'phase parse'
	printf 'if (1) {\n return 1;\n' >"$dir/open.js"
	error_at open.js 3 1 'a brace that is never closed'
	printf 'function deep() {\n throw new RangeError("why");\n}\ndeep();\n' >"$dir/stack.js"
	run_json "$dir/stack.js"
	record_has '.error.name == "RangeError" and .error.message == "why" and
		.error.phase == "run" and .error.line == 2' 'name, message, phase'
	record_has '.error.stack | contains("deep") and contains("stack.js:2") and
		contains("stack.js:4")' 'stack in the user'"'"'s places'
	run "$dir/stack.js"
	has "$err" 'RangeError: why at stack.js:2' 'text: one line says it'
}

test_bytes() {
	printf '"a\000b".length' >"$dir/nul.js"
	run_json "$dir/nul.js"
	is "$(field .value)" 3 'NUL in a string'
	printf 'console.log("\\u0000|\360\237\230\200"); "\360\237\230\200\303\244".length' >"$dir/u.js"
	run_json "$dir/u.js"
	record_has '.value == 3 and .logs[0].text == "\u0000|\ud83d\ude00"' 'emoji in and out'
	text_is '"\ud83d\ude00" + "\udead"' "$(printf '\360\237\230\200\357\277\275')" \
		'pairs are joined, a half becomes U+FFFD'
	printf 'console.log("x"); 5' | "$quod" run - >"$dir/out" 2>"$dir/err"
	is "$(cat "$dir/out")" 'x
5' 'source from stdin'
}

test_timers() {
	run_json -e 'setTimeout(function () { console.log("t2") }, 20);
		setTimeout(function (a) { console.log("t1" + a) }, 1, "x");
		var c = setTimeout(function () { console.log("never") }, 1); clearTimeout(c);
		queueMicrotask(function () { console.log("micro") });
		var n = 0, i = setInterval(function () {
			if (++n === 3) { clearInterval(i); console.log("i" + n) } }, 1);
		console.log("sync"); "value"'
	record_has '[.logs[].text] | sort == ["i3","micro","sync","t1x","t2"] and
		.[0:2] == ["sync","micro"] and index("t1x") < index("t2")' 'timers, in their order'
	record_has '.value == "value" and .status == "ok"' 'the value is the last statement'"'"'s'
	run_json --timeout 300ms -e 'setInterval(function () {}, 1); true'
	record_has '.status == "timeout" and .value == true and .passed == false' \
		'an interval that is never cleared: timeout, the value stays'
	run_json -e 'setTimeout("1", 1)'
	record_has '.status == "rejected" and (.gate.findings | any(.rule == "timer-string"))' 'no code in strings'
	run_json -p verify -e '[typeof setTimeout, typeof setInterval, typeof queueMicrotask]'
	record_has '.value == ["undefined","undefined","undefined"]' 'verify has no timers'
}

test_input() {
	run_json --input-json '{"a":[1,{"b":null}],"e":"\ud83d\ude00"}' -e 'input'
	record_has '.value == {a: [1, {b: null}], e: "\ud83d\ude00"}' '--input-json'
	printf '[1e400, "\\u0000", -0]' >"$dir/in.json"
	run_json --input "$dir/in.json" -e 'input[1].length + " " + input[0]'
	is "$(field .value)" '1 Infinity' '--input FILE'
	printf '{"q":2}' >"$dir/stdin"
	run_with "$dir/stdin" -o json --input - -e 'input.q * 2'
	is "$(field .value)" 4 '--input -'
	run_json --input-json '{"__proto__":{"x":1},"toJSON":"t"}' -e '[input.x, input.toJSON]'
	record_has '.value == null or .value[0] == null' 'no prototype comes in with the input'
	text_is 'typeof input' undefined 'no input: undefined'
}

test_replay() {
	what='[Math.random(), Math.random(), new Date().toISOString(), Date.now(), typeof input]'
	same='del(.id, .usage, .started_at, .logs[].t_ms)'
	run_json --seed 5 --now 2024-02-29T12:00:00Z -e "console.log(Math.random()); $what"
	first=$(jq -S "$same" "$dir/out")
	record_has '.value[2:4] == ["2024-02-29T12:00:00.000Z", 1709208000000]' 'the time is frozen'
	run_json --seed 5 --now 1709208000000 -e "console.log(Math.random()); $what"
	is "$(jq -S "$same" "$dir/out")" "$first" 'the same seed and time: the same record'
	run_json --seed 6 --now 1709208000000 -e "console.log(Math.random()); $what"
	if [ "$(field '.value[0]')" != "$(printf '%s' "$first" | jq '.value[0]')" ]; then
		pass 'another seed: other numbers'
	else
		fail 'another seed: other numbers' "$first"
	fi
	run_json -e 'Math.random()'
	once=$(field .value)
	run_json -e 'Math.random()'
	if [ "$(field .value)" != "$once" ]; then
		pass 'no seed: never the same'
	else
		fail 'no seed: never the same' "$once"
	fi
}

test_logs_survive
test_logs_as_they_happen
test_hints
test_levels
test_own_words
test_arguments
test_values
test_verdict
test_error_places
test_bytes
test_timers
test_input
test_replay
tap_done
