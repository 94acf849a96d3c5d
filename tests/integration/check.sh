#!/bin/sh
# SPDX-License-Identifier: MIT
# `quod check` and the gate's side of `quod run`: what is told, what blocks, and that
# nothing of a source runs before that is decided.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

# check ARGS...: `quod check ARGS`, then $code, $out, $err.
check() {
	code=0
	timeout -k 5 60 "$quod" check "$@" </dev/null >"$dir/out" 2>"$dir/err" || code=$?
	out=$(cat "$dir/out")
	err=$(cat "$dir/err")
}

test_decision() {
	check -e '1 + 1'
	is "$code" 0 'an honest source is allowed'
	has "$out" "-e: allowed: no findings (mode standard of policy 'default'; complexity 1" 'and that is said'
	is "$err" '' 'and nothing else'

	printf 'var a = 1;\nvar s = eval("1+" + a);\n' >"$dir/reach.js"
	check "$dir/reach.js"
	is "$code" 3 'one that makes code from text is rejected'
	is "$(sed -n 1,3p "$dir/out")" "reach.js:2:9: deny: $(message eval): eval [eval]
    2 | var s = eval(\"1+\" + a);
      |         ^~~~" 'it is told as a compiler would'
	has "$(sed -n 4p "$dir/out")" '      = ' 'and why it matters'
	has "$out" 'reach.js: rejected: 1 of 1 finding blocks' 'and what that means'

	check --mode strict -e 'Object.prototype.x = 1; "a"'
	is "$code" 3 'a warning blocks under strict'
	check -e 'Object.prototype.x = 1; "a"'
	is "$code" 0 'and not under standard'
	has "$out" 'warn: ' 'where it is told'
	check -p open -e 'eval("1")'
	is "$code" 0 'nothing blocks where the policy has the gate off'
	has "$out" 'deny: ' 'and all is told'
}

# message RULE: the words of the table.
message() {
	sed -n "/\\.name = \"$1\"/,/\\.why/s/.*\\(DENY\\|WARN\\|INFO\\)(\"\\(.*\\)\").*/\\2/p" \
		"$QUOD_TEST_SOURCE/policy/rules.c"
}

test_nothing_runs() {
	check -e 'console.log("ran"); while (true);'
	is "$code" 0 'what would run for ever is checked'
	is "$(grep -cx ran "$dir/out")" 0 'and does not run'
	check -p verify -e 'false'
	is "$code" 0 'what does not run has no verdict'
	run_json -e 'console.log("ran"); eval("1")'
	ends_as rejected 3 'a run with such a source'
	record_has '.logs == [] and .value == null and .engine == null and .usage.wall_ms == 0' 'runs nothing'
	record_has '.gate.decision == "rejected" and (.gate.findings | length) == 1 and
		(.gate.findings[0] | .rule == "eval" and .severity == "deny" and .line == 1 and .column == 21 and
		.why == "What the text will be cannot be examined before it runs.")' \
		'and its record says why'
	run -o ndjson -e 'eval("1")'
	is "$(echo "$out" | head -n 1 | jq -r '.event + ": " + .why')" \
		'finding: What the text will be cannot be examined before it runs.' 'and so does its event'
	run -e 'eval("1")'
	is "$out" '' 'as text'
	has "$err" 'quod: rejected: ' 'it is said on stderr'
	has "$err" 'at -e:1:1 \[eval\]' 'with the place and the rule'
}

test_syntax() {
	check -e 'var a = ;'
	is "$code" 1 'a syntax error is an error'
	has "$err" 'SyntaxError' 'and told as that'
	is "$(grep -c 'allowed\|rejected' "$dir/out")" 0 'not as a decision'
	check -o json -e '(function () {'
	is "$(field '.status + " " + .error.phase + " " + (.value | tostring)')" 'error parse null' 'in the record too'
}

# What stands in a source is shown, and does nothing to a terminal or to the lines.
test_display() {
	printf 'var a = "\033[31m\302\205\342\200\256"; \t eval(a)' >"$dir/odd.js"
	check "$dir/odd.js"
	is "$(tr -d '\n -~' <"$dir/out" | wc -c)" 0 'a source is shown escaped'
	is "$(sed -n 3p "$dir/out" | sed 's/^      | //; s/^ *//')" '^~~~' 'with its caret'
	is "$(awk 'NR == 2 { at = index($0, "eval") } NR == 3 { print at - index($0, "^") }' "$dir/out")" 0 \
		'below the place, whatever was escaped before it'

	{
		printf 'var s = "'
		head -c 20000 /dev/zero | tr '\0' 'x'
		printf '"; eval(s); "'
		head -c 20000 /dev/zero | tr '\0' 'y'
		printf '"'
	} >"$dir/long.js"
	check "$dir/long.js"
	holds 'of a long line a part is shown' test "$(awk '{ if (length > most) most = length } END { print most }' "$dir/out")" -lt 200
	is "$(awk '/\[eval\]$/ { ours = 1 } ours && /\| \.\.\./ { at = index($0, "eval") }
		ours && /\^/ { print at - index($0, "^"); ours = 0 }' "$dir/out")" 0 \
		'with the caret in it'

	printf 'var a = 1;\rvar b = 2;\r\neval(a);\n' >"$dir/lines.js"
	check "$dir/lines.js"
	has "$out" 'lines.js:3:1: deny' 'lines are counted as the engine does'
	has "$out" '    3 | eval(a);' 'and the right one is shown'
	printf '\357\273\277#!/usr/bin/quod\neval(1)' >"$dir/bom.js"
	check "$dir/bom.js"
	has "$out" 'bom.js:2:1: deny' 'a byte order mark and a shebang do not move the place'
}

test_output() {
	check -o json -e 'eval(1)'
	is "$code" 3 'as json'
	record_has '.status == "rejected" and .gate.mode == "standard" and .gate.complexity >= 1 and .gate.nesting >= 0' 'a record'
	check -o ndjson -e 'eval(1)'
	is "$(sed -n 1p "$dir/out" | jq -r '.event + " " + .rule')" 'finding eval' 'as ndjson: an event for each finding'
	is "$(tail -n 1 "$dir/out" | jq -r .status)" rejected 'and the record'
	check
	is "$code" 2 'a source is needed'
	check --verdict -e 1
	is "$code" 2 'what belongs to a run is refused'
	head -c 70000 /dev/zero | tr '\0' ' ' >"$dir/large.js"
	check "$dir/large.js"
	is "$code" 3 'one that is too large is rejected'
	has "$out" 'large.js: deny: the source has more than' 'and told in the same way'
	printf 'a\n\377' >"$dir/bytes.js"
	check "$dir/bytes.js"
	has "$out" 'bytes.js:2:1: deny: the source is not UTF-8' 'one that is no text too'
}

# The engine and the gate do not read the same language: what only the engine takes must not
# run. A liar stands in for an interpreter whose gate understands nothing.
test_unexamined() {
	QUOD_JS=$QUOD_TEST_BUILD/tests/integration/liar
	run_json -e 'ready unparsed go end'
	ends_as rejected 3 'what the engine takes and the gate does not'
	record_has '.gate.decision == "rejected" and .gate.findings[0].rule == "unexamined" and .engine == null' 'is not examined, and does not run'
	run_json -e 'ready unparsed go frame:06:0000000001000000010000000100000001000000456d end'
	ends_as error 1 'what neither takes'
	record_has '.error.name == "E" and .error.phase == "parse" and .gate.decision == "allowed"' 'is a syntax error'
	for bad in value:1 log:x frame:06:0100000001000000010000000100000001000000456d; do
		run_json -e "ready unparsed go $bad end wait"
		ends_as crashed 128 "a trial that speaks of a run: $bad"
	done
	run_json -e 'ready unparsed go spin' --timeout 200ms
	ends_as timeout 124 'a trial without an end'
	run_json -e 'ready unparsed go frame:07:0000 end'
	ends_as memory_limit 5 'a trial that needs too much memory'
	run_json -p open -e 'ready unparsed go value:1 end'
	ends_as ok 0 'where nothing blocks it runs'
	QUOD_JS=$quod_js
}

test_decision
test_nothing_runs
test_syntax
test_display
test_output
test_unexamined
tap_done
