#!/bin/sh
# SPDX-License-Identifier: MIT
# The policy `verify`: every number of it one below, at and one above its edge, and what
# passes. (limits.sh has each limit of the table under each policy; here is what the numbers
# count.)
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

verify() {
	run_json -p verify "$@"
}

# depth SOURCE: how often f() was entered when there was no frame left for it.
depth() {
	verify --engine duktape -e "var d = 0; $1 try { f() } catch (e) { d += ' ' + e.name } d"
	field .value_text
}

# 100 frames, exactly so on Duktape: the program is the first, so 99 calls are open at once
# and the next is a RangeError. A native that calls back stands between and is a frame; one
# that is only another way to call (bind, call, apply, new, a conversion, a trap) is none.
test_frames() {
	f='function f(n) { return n > 1 ? 1 + f(n - 1) : 1 }'
	for calls in 98 99; do
		verify --engine duktape -e "$f f($calls)"
		is "$(field '.status + " " + .value_text')" "ok $calls" "$calls calls under the program"
	done
	verify --engine duktape -e "$f f(100)"
	is "$(field '.status + " " + .error.name')" 'error RangeError' '100 calls under the program'
	verify --engine duktape -e "$f try { f(100) } catch (e) { f(99) === 99 && e instanceof RangeError }"
	ends_as ok 0 'it is caught, and the frames are there again'
	while IFS='|' read -r calls source; do
		is "$(depth "$source")" "$calls RangeError" "$calls times $source"
	done <<-'END'
		99|function f() { d++; f() }
		99|function f() { d++; return f() }
		99|function f() { d++; new f }
		99|function f() { d++; f.call() }
		99|function f() { d++; f.apply(null, []) }
		99|function f() { d++; f.bind(null)() }
		99|function f() { d++; '' + {toString: f} }
		99|function f() { d++; 1 + {valueOf: f} }
		50|function f() { d++; [1].map(f) }
		50|function f() { d++; [1].forEach(f) }
		50|function f() { d++; [1].reduce(f, 0) }
		50|function f() { d++; [2, 1].sort(f) }
		50|function f() { d++; Array.from([1], f) }
		50|function f() { d++; 'x'.replace(/x/, f) }
		50|function f() { d++; JSON.parse('1', f) }
		50|function f() { d++; JSON.stringify({toJSON: f}) }
		50|function f() { d++; new Map([[1, 2]]).forEach(f) }
		33|function f() { d++; [1].map(function () { f() }) }
	END
}

# One value_bytes holds for the value as JSON, quotes and all, and as text.
test_value() {
	for length in 1021 1022; do
		verify -e "new Array($((length + 1))).join('x')"
		record_has ".status == \"ok\" and .usage.value_bytes == $((length + 2)) and
			(.value | length) == $length" "a string of $length bytes, $((length + 2)) as JSON"
	done
	verify -e "new Array(1024).join('x')"
	ends_as output_limit 6 'a string of 1023 bytes'
	verify -e "'é' + new Array(1021).join('x')"
	ends_as ok 1 'bytes count: 1020 of one and a character of two'
	verify -e "'é' + new Array(1022).join('x')"
	ends_as output_limit 6 'and one more'
	for items in 511 512; do
		verify -e "var a = []; while (a.length < $items) a.push(1); a"
		is "$(field .status)" "$([ $items -eq 511 ] && echo ok || echo output_limit)" \
			"a list of $items digits, $((2 * items + 1)) bytes"
	done
}

# Bytes of the file as it is: characters, a byte order mark and the line of a shebang count.
test_source() {
	for size in 10239 10240; do
		{
			printf 'true //'
			head -c $((size - 7)) /dev/zero | tr '\0' x
		} >"$dir/full.js"
		verify "$dir/full.js"
		ends_as ok 0 "a source of $size bytes"
	done
	printf x >>"$dir/full.js"
	verify "$dir/full.js"
	ends_as rejected 3 'a source of 10241 bytes'
	record_has '[.gate.findings[].rule] == ["source-size"]' 'and why'
	{
		printf '\357\273\277#!x\ntrue //'
		head -c 10226 /dev/zero | tr '\0' x
	} >"$dir/marked.js"
	is "$(wc -c <"$dir/marked.js")" 10240 'with a byte order mark and a shebang: 10240 bytes'
	verify "$dir/marked.js"
	ends_as ok 0 'which are as many as may be'
	{
		printf 'true //é'
		head -c 10232 /dev/zero | tr '\0' x
	} >"$dir/wide.js"
	is "$(wc -c <"$dir/wide.js")" 10241 '10240 characters, one of them of two bytes'
	verify "$dir/wide.js"
	ends_as rejected 3 'which are too many'
}

# 32 MiB are the heap's: what the engine itself needs of it is less than a quarter of one.
test_memory() {
	for bytes in 33292288 33554431; do
		verify -e "new Uint8Array($bytes).length === $bytes"
		is "$(field .status)" "$([ $bytes -eq 33292288 ] && echo ok || echo memory_limit)" \
			"an array of $bytes bytes"
	done
	verify -e 'new Uint8Array(33554432)'
	ends_as memory_limit 5 'an array of 32 MiB'
	verify --memory 32M -e true
	ends_as ok 0 'as much as there is may be asked for'
	run -p verify --memory 33554433 -e true
	is "$code" 2 'and no byte more'
}

test_time() {
	verify -e 'for (;;);'
	ends_as timeout 124 'an endless loop'
	record_has '.limits.wall_ms == 5000 and .usage.wall_ms >= 5000 and .passed == false and
		.kill.reason == "timeout"' 'it had 5000 ms'
	verify --timeout 5000ms -e true
	ends_as ok 0 'as long as there is may be asked for'
	run -p verify --timeout 5001ms -e true
	is "$code" 2 'and no millisecond more'
}

# The value is compared with true, not converted to it.
test_verdict() {
	for source in true '1 === 1' '!0' 'return true' '[].every(isNaN)' 'var ok = true; ok' \
		'JSON.parse("true")' 'Boolean(1)' 'new Boolean(0).valueOf() === false'; do
		verify -e "$source"
		record_has '.passed == true and .status == "ok" and .value == true' "passes: $source"
		is $code 0 "exit code 0: $source"
	done
	for source in false 1 0 '"true"' '"1"' 'new Boolean(true)' 'Object(true)' '[true]' \
		'({valueOf: function () { return true }})' 'null' 'undefined' '' 'var ok = true' \
		'return' 'Infinity' 'function f() { return true }' '[]' '({})' 'NaN' '/true/' 'new Date'; do
		verify -e "$source"
		record_has '.passed == false and .status == "ok"' "does not: $source"
		is $code 1 "exit code 1: $source"
	done
	for source in 'throw true' 'true; throw 1' 'tru e' 'missing'; do
		verify -e "$source"
		record_has '.passed == false and .status == "error"' "an error: $source"
		is $code 1 "exit code 1: $source"
	done
	run -p verify -e 'console.log("kept"); 2 > 1'
	is "$code:$out" '0:kept
true' 'text: log and value'
}

test_frames
test_value
test_source
test_memory
test_time
test_verdict
tap_done
