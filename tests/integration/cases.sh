#!/bin/sh
# SPDX-License-Identifier: MIT
# --cases: one source, many inputs, each in a fresh jail, a list of records out.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

cat >"$dir/cases" <<'END'
{"id":"one","input":1}
{"input":{"x":[2,null]},"id":"two \" \u001b[31m"}

{"id":"one","input":null}
END
source='if (input === null) throw new Error("no input");
	console.log(typeof seen); seen = Object.prototype.seen = true; input'

run_json --cases "$dir/cases" -e "$source"
record_has '[.[].case] == ["one","two \" \u001b[31m","one"]' 'ids, in the order of the file'
record_has '[.[].status] == ["ok","ok","error"]' 'each case has a record of its own'
record_has '[.[].value] == [1, {x: [2, null]}, null]' 'each has its own input'
record_has '[.[0:2][].logs[0].text] == ["undefined","undefined"]' 'each runs in a fresh jail'
record_has '[.[].id] | unique | length == 3' 'run ids differ'
is $code 1 'exit code of the worst'

run -o ndjson --cases "$dir/cases" -e "$source"
is "$(jq -s '[.[] | select(has("event") | not)] | length' "$dir/out")" 3 'ndjson: a record ends each case'

run --cases "$dir/cases" -e 'console.log("log"); 1'
is "$(grep -c '^case ' "$dir/out") $(grep -c '^log$' "$dir/out")" '3 3' 'text: a heading for each'
is "$(tr -cd '\033' <"$dir/out" | wc -c | tr -d ' ')" 0 'text: an id cannot speak to a terminal'

printf '{"id":"a","input":true}\n{"id":"b","input":false}' >"$dir/cases"
run_json --verdict --cases "$dir/cases" -e 'input'
is "$(field '[.[].passed] | @json') $code" '[true,false] 1' 'verdicts'
run_json --timeout 200ms --cases "$dir/cases" -e 'if (input) for (;;); 5'
is "$(field '[.[].status] | @json') $code" '["timeout","ok"] 124' 'a timeout does not end the list'
run_json --seed 3 --cases "$dir/cases" -e 'Math.random()'
record_has '.[0].value == .[1].value and (.[0].value | type) == "number"' 'the seed is for each'
run_json --cases "$dir/cases" -e 'syntax error here'
record_has '[.[].error.phase] == ["parse","parse"]' 'a syntax error is told for each'

# refused LINES SENTENCE NAME: nothing runs, exit code 2, one sentence.
refused() {
	printf "$1" >"$dir/cases"
	run --cases "$dir/cases" -e 'console.log("ran")'
	is "$code:$out:$(printf '%s\n' "$err" | wc -l | tr -d ' ')" 2::1 "$3"
	has "$err" "$2" "$3: $2"
}

good='{"id":"a","input":1}\n'
refused "$good{\n" 'line 2' 'a line that is no JSON'
refused "$good\n$good{\"id\":1,\"input\":2}\n" 'line 4' 'an id that is no string'
refused '{"id":"a"}\n' 'line 1' 'an input is missing'
refused '{"id":"a","input":1,"x":2}\n' 'line 1' 'an unknown key'
refused '{"id":"a","input":"\377"}\n' 'line 1' 'invalid UTF-8'
refused '' 'no case' 'an empty file'
run --cases "$dir/none" -e 1
is $code 2 'a file that is not there'
has "$err" "$dir/none" 'and its name'
run --cases "$dir/cases" --input-json 1 -e 1
is $code 2 'two kinds of input'

# A signal ends the case that runs and the list.
mkfifo "$dir/fifo"
printf '{"id":"a","input":1}\n{"id":"b","input":2}\n' >"$dir/cases"
"$quod" run -o ndjson --cases "$dir/cases" -e 'console.log("now"); for (var n = 1; n > 0;);' \
	>"$dir/fifo" 2>"$dir/err" &
pid=$!
code=0
{
	read -r line
	kill -TERM $pid
	cat >"$dir/out"
	wait $pid || code=$?
} <"$dir/fifo"
has "$line" now 'the first case runs'
is "$code $(jq -r 'select(.case) | .case + " " + .status' "$dir/out")" '130 a cancelled' \
	'a signal ends the case and the list'
# Signals while many cases run: always told, always a list.
seq 400 | sed 's/.*/{"id":"c&","input":&}/' >"$dir/many"
for how in TERM HUP; do
	for _ in 1 2 3; do
		rm -f "$dir/out"
		"$quod" run --cases "$dir/many" -o json -e input >"$dir/out" 2>"$dir/err" &
		pid=$!
		while [ ! -s "$dir/out" ]; do sleep 0.01; done
		kill -$how $pid
		code=0
		wait $pid || code=$?
		is "$code $(jq -r 'type' "$dir/out" 2>&1)" '130 array' 'cases that are stopped: 130 and a list'
	done
done

# A caller that ignores SIGTERM: the parent can still stop a case, and none outlives it.
(trap '' TERM; exec "$quod" run --cases "$dir/many" -o ndjson -e 'while (true);' >"$dir/out" 2>"$dir/err") &
pid=$!
guest=$(child_of "$(child_of $pid)")
kill -KILL $pid
wait $pid 2>/dev/null
await_gone "$guest"
holds 'a case does not outlive a parent whose caller ignores SIGTERM' test ! -d "/proc/${guest:?}"

tap_done
