#!/bin/sh
# SPDX-License-Identifier: MIT
# Every limit of the table: echoed in the record, held exactly, reported by its status, exit
# code and reason; lowered by options and never raised.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/engines.sh"

# x COUNT: JavaScript for a string of so many x.
x() {
	printf 'new Array(%d).join("x")' $(($1 + 1))
}

test_echo() {
	common='wall_ms: 5000, cpu_ms: 5000, cpu_percent: 100, memory_bytes: 33554432,
		log_bytes: 65536, log_lines: 1000, processes: 1'
	wide="{$common, source_bytes: 65536, stack_frames: 1000, value_bytes: 65536}"
	run_json -e 1
	record_has ".policy == \"default\" and .limits == $wide" 'default: its numbers'
	run_json -p open -e 1
	record_has ".policy == \"open\" and .limits == $wide" 'open: those of default'
	run_json -p verify -e 1
	record_has ".policy == \"verify\" and .limits ==
		{$common, source_bytes: 10240, stack_frames: 100, value_bytes: 1024}" \
		'verify: its numbers'
	record_has '.enforced_by | (keys == ["cpu","memory","processes","wall"]) and
		.wall == "supervisor" and (.cpu | IN("cgroup", "supervisor")) and
		(.memory | IN("cgroup", "rlimit", "engine")) and
		(.processes | IN("cgroup", "filter"))' 'each says who holds it'
	run_json --timeout 1234ms --memory 4M -e 1
	record_has '.limits.wall_ms == 1234 and .limits.cpu_ms == 1234 and
		.limits.memory_bytes == 4194304' 'lowered: the lower numbers; CPU with the wall'
}

test_lowering() {
	for equal in '--timeout 5' '--timeout 5s' '--timeout 5000ms' '--memory 32M' '--memory 32768K'; do
		# shellcheck disable=SC2086
		run $equal -e 1
		is "$code:$out" 0:1 "$equal: as much as the policy grants"
	done
	while IFS='|' read -r options number; do
		# shellcheck disable=SC2086
		run $options -e 'console.log("ran")'
		is "$code:$out" 2: "$options: refused"
		has "$err" "$number" "$options: the message says $number"
	done <<-END
		--timeout 5001ms|policy 'default' allows at most 5 s
		--timeout 6s|policy 'default' allows at most 5 s
		--timeout 6|policy 'default' allows at most 5 s
		-p verify --timeout 1m|policy 'verify' allows at most 5 s
		--memory 33M|policy 'default' allows at most 32 MiB
		--memory 33554433|policy 'default' allows at most 32 MiB
		--timeout 0s|least wall time is 1 ms
		--memory 1023K|least memory is 1 MiB
	END
}

test_time() {
	run_json --timeout 200ms -e 'for (;;);'
	ends_as timeout 124 'an endless loop'
	record_has '.kill == {by: "supervisor", reason: "timeout", signal: "SIGKILL",
		syscall: null} and .usage.wall_ms >= 200 and .value == null' 'killed at the deadline'
	while IFS='|' read -r name source; do
		run_json --timeout 200ms -e "$source"
		ends_as timeout 124 "$name"
	done <<-'END'
		a loop that catches everything|for (;;) try { throw 1 } catch (e) {} finally { continue }
		a regexp that backtracks|/(x+x+)+y/.test("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
		a native that loops|new Array(1e9).reverse()
		a sort of a sparse array|var a = []; a.length = 4294967295; a.sort()
		an endless timer|setInterval(function () {}, 1)
		endless microtasks|(function f() { queueMicrotask(f) })()
		a timer far away|setTimeout(function () {}, 1e9)
	END
	run --timeout 200ms -e 'for (;;);'
	has "$err" 'the limit is 200 ms' 'text: which limit'
	has "$err" '--timeout' 'text: and how to raise it'
}

# Each line fills the heap in another way and would go on for ever. QuickJS comes to another
# limit first where calls are nested, and with a string that is doubled: that is a short list
# of parts to it, until it has more characters than a string may.
test_memory() {
	while IFS='|' read -r name source; do
		for engine in $QUOD_TEST_ENGINES; do
			case $engine:$name in
			quickjs:string\ doubling | quickjs:exceptions\ * | quickjs:recursion\ * | \
				quickjs:replace\ *) continue ;;
			esac
			run_json --engine "$engine" --memory 4M -e "$source"
			ends_as memory_limit 5 "$engine: $name"
		done
	done <<-'END'
		string doubling|var s = "xxxxxxxx"; for (;;) s += s
		an array|var a = []; for (;;) a.push(1, 2, 3, 4, 5, 6, 7, 8)
		one typed array|new Uint8Array(1e9)
		typed arrays|var a = []; for (;;) a.push(new Uint8Array(1 << 20))
		join of an empty array|new Array(1e9).join("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
		a regexp's own program|for (var s = "a"; ; new RegExp(s)) s += s
		replace with a callback|"x".replace(/x/, function () { for (var s = "y"; ; ) s += s })
		recursion in the script|function f(s) { return s.length + f(s + s) } f("x")
		recursion through natives|function f(s) { return [s].map(function (t) { return f(t + t) }) } f("x")
		a chain of objects|for (var o = null; ; ) o = {before: o}
		closures|for (var f = null; ; ) f = (function (g) { return function () { return g } })(f)
		properties|for (var o = {}, i = 0; ; i++) o["k" + i] = i
		Map|for (var m = new Map(), i = 0; ; i++) m.set(i, {v: i})
		Set|for (var s = new Set(), i = 0; ; i++) s.add("k" + i)
		JSON|for (var x = [1]; ; ) x = JSON.parse("[" + JSON.stringify(x) + "," + JSON.stringify(x) + "]")
		split and join|for (var s = "ab"; ; ) s = s.split("").join(s)
		exceptions that are caught|for (;;) try { for (var s = "xxxxxxxx"; ; ) s += s } catch (e) {}
		timers|for (;;) setTimeout(function () {}, 1)
	END
	record_has '.value == null and .passed == false and .error == null' 'no value comes with it'
	run_json -e 'setTimeout(function () { for (var s = "x"; ; ) s += s }, 1); true'
	record_has '.status == "memory_limit" and .passed == false' 'in a timer, after the value'
	run_json --memory 1M -e 'var a = new Uint8Array(600000), b = new Uint8Array(600000); 1'
	ends_as memory_limit 5 'a lower limit holds'
	run_json -e 'var a = new Uint8Array(600000), b = new Uint8Array(600000); 1'
	ends_as ok 0 'and it was that limit'
	record_has '.usage.memory_peak_bytes | . > 1200000 and . < 44040192' 'the peak is told'
	printf '"%s"' "$(head -c 60000 /dev/zero | tr '\0' x)" >"$dir/long.js"
	run_json --memory 1M "$dir/long.js"
	record_has '.status | IN("ok", "output_limit", "memory_limit")' 'a long source in a small heap'
}

test_source() {
	for limit in 65536:default 10240:verify; do
		size=${limit%:*}
		policy=${limit#*:}
		head -c "$size" /dev/zero | tr '\0' ' ' >"$dir/full.js"
		run_json -p "$policy" "$dir/full.js"
		is "$(field .status)" ok "$policy: a source of $size bytes"
		printf ' ' >>"$dir/full.js"
		run_json -p "$policy" "$dir/full.js"
		ends_as rejected 3 "$policy: one byte more"
		record_has '.gate.decision == "rejected" and .gate.findings[0].rule == "source-size" and
			.usage.setup_ms == 0 and .engine == null' "$policy: before any process"
	done
	head -c 3000000 /dev/zero >"$dir/huge.js"
	run "$dir/huge.js"
	is $code 3 'three megabytes'
	has "$err" '64 KiB' 'text: the limit'
	run_with /dev/zero -
	is $code 3 'an endless source'
}

test_value() {
	for limit in 65536:default 1024:verify; do
		size=${limit%:*}
		policy=${limit#*:}
		run_json -p "$policy" -e "$(x $((size - 2)))"
		record_has ".status == \"ok\" and .usage.value_bytes == $size" "$policy: $size bytes of JSON"
		run_json -p "$policy" -e "console.log('kept'); $(x $((size - 1)))"
		ends_as output_limit 6 "$policy: one byte more"
		record_has '.value == null and .logs[0].text == "kept" and .logs_truncated == false' \
			"$policy: the value is not there, the log is"
		run_json -p "$policy" -e "[function () {}, $(x $size)]"
		ends_as output_limit 6 "$policy: too long as text"
	done
	run_json -e 'var a = [0]; for (var i = 0; i < 60; i++) a = [a, a]; a'
	ends_as output_limit 6 'a value that unfolds to more than there is'
}

test_log() {
	run_json -e 'for (var i = 0; i < 1000; i++) console.log(i); 5'
	record_has '.status == "ok" and (.logs | length) == 1000 and .logs_truncated == false' \
		'1000 lines'
	run_json -e 'for (var i = 0; i < 1001; i++) console.log(i); 5'
	ends_as output_limit 6 'one line more'
	record_has '(.logs | length) == 1000 and .logs[999].text == "999" and .logs_truncated and
		.kill.reason == "output_limit"' 'the first 1000 are kept'
	run_json -e "console.log($(x 65536))"
	record_has '.status == "ok" and .usage.log_bytes == 65536' '64 KiB of text'
	run_json -e "console.log($(x 65530)); console.log('1234567')"
	ends_as output_limit 6 'one byte more'
	record_has '.logs_truncated and .usage.log_bytes == 65536 and .logs[1].text == "123456"' \
		'the first part of the line is kept'
	run -e 'for (;;) console.error("x")'
	is "$code $(grep -c '^ERR: x$' "$dir/err")" '6 1000' 'text: what is kept is shown'
}

flood() {
	code=0
	"$QUOD_TEST_BUILD/tests/integration/peak" "$dir/peak" "$quod" run -o json -e "$2" \
		>"$dir/out" 2>"$dir/err" || code=$?
	ends_as output_limit 6 "$1"
	peak=$(cat "$dir/peak")
	if [ "$peak" -gt 0 ] && [ "$peak" -le 6144 ]; then
		pass "$1: quod stays below 6 MiB"
	else
		fail "$1: quod stays below 6 MiB" "VmHWM $peak kB"
	fi
}

test_floods() {
	flood 'a million lines of one byte' 'for (var i = 0; i < 1e6; i++) console.log("x")'
	flood 'one line of 10 MB' "var s = $(x 1048576); console.log(s, s, s, s, s, s, s, s, s, s)"
	flood 'lines of a kilobyte' "var s = $(x 1024); for (;;) console.warn(s)"
	flood 'lines of control characters' 'for (;;) console.log("\u0001\u001b\u0007\u0000\u0001\u0001")'
}

# The program itself is a frame too.
test_call_depth() {
	for depth in 100:verify 1000:default; do
		frames=${depth%:*}
		policy=${depth#*:}
		f='function f(n) { return n > 1 ? 1 + f(n - 1) : 1 }'
		run_json -p "$policy" -e "$f f($((frames - 1)))"
		is "$(field '.status + " " + .value_text')" "ok $((frames - 1))" "$policy: $frames frames"
		run_json -p "$policy" -e "$f f($frames)"
		is "$(field '.status + " " + .error.name')" 'error RangeError' "$policy: one more"
	done
	run_json -e 'function f() { return f() } try { f() } catch (e) { e.name }'
	is "$(field .value_text)" RangeError 'a call in a return counts as well'
	for through in '[1].map(f)' '"x".replace(/x/, f)' '({toString: f}) + ""' 'new f' \
		'JSON.stringify({toJSON: f})' '[2, 1].sort(f)' 'f.apply(null, [])' 'f.bind(null)()' \
		'Array.prototype.concat.call({get length() { f() }}), f()'; do
		run_json -p verify -e "function f() { return [$through].length } try { f() } catch (e) { e.name }"
		is "$(field .value_text)" RangeError "without an end through $through"
	done
}

test_echo
test_lowering
test_time
test_memory
test_source
test_value
test_log
test_floods
test_call_depth
tap_done
