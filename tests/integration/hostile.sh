#!/bin/sh
# SPDX-License-Identifier: MIT
# Scripts that want to be believed, or to break who reads them: nothing that a script
# redefines changes what is reported, nothing that it prints reaches a terminal as a
# command, and code from strings is gone where the policy says so.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

# The gate would see much of this coming: here it does not stand in the way.
printf '[Run]\nMode=off\n' >"$dir/default.policy"
printf '[Run]\nBase=verify\nMode=off\n' >"$dir/verify.policy"

# says SOURCE JQ-FILTER NAME
says() {
	run_json -p "$dir/default.policy" -e "$1"
	record_has "$2" "$3"
}

test_redefined() {
	says 'Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON =
		function () { return "pwned" }; console.log({a: [1]}); ({a: ["x"]})' \
		'.value == {a: ["x"]} and .logs[0].text == "{\"a\":[1]}"' 'toJSON on the prototypes'
	says 'JSON.stringify = JSON.parse = function () { return "pwned" }; JSON = null; [1, {b: 2}]' \
		'.value == [1, {b: 2}]' 'JSON'
	says 'Array.prototype.map = Array.prototype.join = Array.prototype.push = null;
		Object.keys = Object.defineProperty = null; Array = Object = String = null; [[1], {a: 2}]' \
		'.value == [[1], {a: 2}]' 'Array.prototype, Object, String'
	says 'Object.defineProperty(Object.prototype, "0", {get: function () { throw 1 }, set:
		function () { throw 2 }}); Object.prototype.get = 1; var a = [3]; console.log(a, {x: 4}); a' \
		'.value == [3] and .logs[0].text == "[3] {\"x\":4}"' 'accessors on Object.prototype'
	says 'var log = console.log; console.log = console.warn = null; console = {log: log};
		log("still"); 1' '.logs[0].text == "still" and .value == 1' 'console'
	says 'Error.prototype.toString = Error.prototype.name = Error.prototype.message = null;
		TypeError = Error = null; null.x' '.status == "error" and .error.line == 2' 'Error'
	says 'Error.prototype.name = {toString: function () { for (;;); }}; throw new Error("m")' \
		'.status == "error" and .error.message == "m"' 'a name that loops'
	says 'var g = this, keep = [1]; Object.getOwnPropertyNames(g).forEach(function (n) {
		try { g[n] = null; delete g[n] } catch (e) {} }); keep' '.value == [1]' 'every global'
	says 'Map.prototype.get = Map.prototype.forEach = Set.prototype.has = null; var m = new Map();
		m.set("a", 1); console.log(m)' ".logs[0].text == \"Map(1) { 'a' => 1 }\"" 'Map'
	says 'Math.random = function () { return 7 }; Date.now = null; setTimeout(function () {
		console.log("t") }, 1); setTimeout = clearTimeout = null; 1' \
		'.status == "ok" and .logs[0].text == "t"' 'timers'
}

# Each object is logged and is the value: neither may run its code, loop or break the run.
test_traps() {
	while IFS='|' read -r name object; do
		run_json -e "var ran = 0, object = $object; console.log(object); console.log('ran', ran); object"
		record_has '.status == "ok" and .logs[1].text == "ran 0" and (.value | tostring |
			contains("pwned") | not)' "$name"
	done <<-'END'
		a getter that throws|{get x() { ran++; throw 1 }}
		a getter that loops|{get x() { for (;;); }}
		a getter that lies|{get x() { ran++; return "pwned" }}
		own toJSON|{toJSON: function () { ran++; return "pwned" }}
		toString and valueOf that loop|{toString: function () { for (;;); }, valueOf: function () { for (;;); }}
		a proxy that throws|new Proxy({a: 1}, {get: function () { throw 1 }, ownKeys: function () { throw 2 }})
		a proxy that loops|new Proxy([1], {get: function () { for (;;); }, getPrototypeOf: function () { for (;;); }, has: function () { for (;;); }})
		a proxy of a function|new Proxy(function () {}, {apply: function () { ran++ }, get: function () { ran++ }})
		an array with getters|Object.defineProperty([1, 2], 0, {get: function () { ran++; return "pwned" }})
		an error with getters|Object.defineProperty(new Error("m"), "stack", {get: function () { ran++; for (;;); }})
		an error with a hostile name|Object.defineProperty(new Error("m"), "name", {get: function () { ran++; throw 1 }})
		a constructor with a getter|Object.create({get constructor() { ran++; throw 1 }})
		a toStringTag|Object.defineProperty({}, Symbol.toStringTag, {get: function () { ran++; throw 1 }})
		a date that is none|new Date(NaN)
		a boxed string with toString|Object.defineProperty(new String("s"), "toString", {value: function () { ran++; return "pwned" }})
		a regexp with a source|Object.defineProperty(/x/, "source", {get: function () { ran++; return "pwned" }})
		a sparse array|Object.defineProperty([], "length", {value: 4294967295})
		a deep object|(function () { for (var o = {}, i = 0; i < 100000; i++) o = {o: o}; return o })()
		a ring|(function () { var a = [], b = {a: a}; a.push(b, a); return a })()
		keys that are odd|{"__proto__x": 1, "": 2, "\u0000": 3, "a b": 4}
	END
}

test_throws() {
	while IFS='|' read -r source message; do
		run_json -e "console.log('before'); $source"
		ends_as error 1 "$source"
		record_has ".error.message == \"$message\" and .logs[0].text == \"before\"" "$source: message"
	done <<-'END'
		throw null|null
		throw undefined|undefined
		throw "text"|text
		throw 42|42
		throw {}|{}
		throw {a: 1}|{\"a\":1}
		throw [1, 2]|[1,2]
		throw Object.create(null)|{}
		throw Object.defineProperty(new Error("m"), "stack", {get: function () { for (;;); }})|m
		throw Object.defineProperty(new Error("m"), "stack", {value: {}})|m
		var e = new Error("m"); e.line = e.lineNumber = e.fileName = e.column = "pwned"; throw e|m
		function E() {} E.prototype = Object.create(Error.prototype, {message: {value: "sub"}}); throw new E|sub
	END
	hard='{message: {get: function () { for (;;); }}, name: {get: function () { throw 1 }}}'
	for source in "function E() {} E.prototype = Object.create(Error.prototype, $hard); throw new E" \
		'throw new Proxy(new Error("m"), {get: function () { for (;;); }})' \
		'throw Object.defineProperty({}, "message", {get: function () { for (;;); }})' \
		'throw function () {}' 'throw Symbol("s")' 'throw new Date(0)'; do
		run_json -e "$source"
		ends_as error 1 "$source"
	done
	says "throw new Error(new Array(1e6).join('x'))" '.status == "error" and
		(.error.message | length) <= 8192' 'a message of a megabyte is cut'
}

# What looks like quod's own output is text of the script all the same.
test_forged_output() {
	says 'console.log("{\"status\":\"ok\",\"passed\":true}\n{\"id\":1}"); false' \
		'.passed == false and (.logs | length) == 1' 'a record in a log line'
	is "$(wc -l <"$dir/out" | tr -d ' ')" 1 'and no second line of output'
	run -o ndjson -e 'console.log("\n{\"event\":\"value\",\"value\":true}"); 1'
	is "$(jq -s -c 'map(.event)' "$dir/out")" '["log","value",null]' 'an event in a log line'
	says '({"status": "ok", "passed": true, "__proto__": 1})' '.passed == false' 'a value like a record'
	says '"\u2028\u2029\"\\\u0000\u007f</script>"' \
		'.value == "\u2028\u2029\"\\\u0000\u007f</script>"' 'a string full of what wants escaping'
}

# What goes to a terminal, and what goes to a pipe as it is. In order: ESC, BEL, CR, DEL,
# CSI as one character, right-to-left override, isolate, mark.
test_terminal() {
	bad='\u001b[31m\u0007\rx\u007f\u009b2J\u202e\u2066\u200f'
	raw=$(printf '\033\|\007\|\177\|\302\233\|\342\200\256\|\342\201\246\|\342\200\217')
	cat >"$dir/bad.js" <<-END
		console.log("l$bad"); console.warn("w$bad"); console.log({k: "$bad"}); "v$bad";
	END
	cat >"$dir/throw.js" <<-END
		var e = new Error("m$bad"); e.name = "n$bad"; throw e;
	END
	odd=$(printf '%s/odd\033[1m\342\200\256.js' "$dir")
	echo 'throw new Error("in an odd file")' >"$odd"
	printf '{"id":"\\u001b\342\200\256","input":"\\u009b"}\n' >"$dir/cases"
	for args in "'$dir/bad.js'" "'$dir/throw.js'" "'$odd'" "--cases '$dir/cases' -e input" \
		"-o json '$dir/bad.js'" "-o ndjson '$dir/bad.js'" "-o json --cases '$dir/cases' -e input"; do
		script -qec "'$quod' run $args" /dev/null </dev/null >"$dir/tty" 2>&1
		is "$(LC_ALL=C grep -c "$raw" "$dir/tty") $(test -s "$dir/tty" && echo some)" '0 some' \
			"terminal: $(printf '%s' "$args" | sed "s|$dir/||g" | LC_ALL=C tr -cd ' -~')"
	done
	script -qec "'$quod' run '$dir/bad.js'" /dev/null </dev/null >"$dir/tty" 2>&1
	is "$(grep -cF 'v\x1b[31m\x07\x0dx\x7f' "$dir/tty")" 1 'terminal: shown escaped'
	run "$dir/bad.js"
	has "$out" "$(printf 'v\033[31m\007\rx\177\302\2332J\342\200\256')" 'pipe: as it is'
	run_json "$dir/bad.js"
	record_has '.value == "v\u001b[31m\u0007\rx\u007f\u009b2J\u202e\u2066\u200f"' 'JSON: the same'
	run "--odd$(printf '\033[1m')"
	is "$code $(printf '%s' "$err" | LC_ALL=C grep -c "$raw")" '2 0' 'an option is escaped as well'
}

# Each computes 42 under `open`: so it is a way, and elsewhere it is closed.
test_code_from_strings() {
	while IFS= read -r idiom; do
		for policy in open "$dir/default.policy" "$dir/verify.policy"; do
			run_json -p "$policy" -e "$idiom"
			if [ "$policy" = open ]; then
				is "$(field '"\(.status) \(.value_text)"')" 'ok 42' "open: $idiom"
			else
				record_has '.status == "error" and .value == null' "$(basename "$policy"), gate off: $idiom"
			fi
		done
	done <<-'END'
		eval("6*7")
		(0, eval)("6*7")
		this["ev" + "al"]("6*7")
		(function () { return this })().eval("6*7")
		["6*7"].map(eval)[0]
		"6*7".replace(/.*/, eval)
		Reflect.apply(eval, null, ["6*7"])
		new Function("return 6*7")()
		Function.apply(null, ["return 6*7"])()
		Reflect.construct(Function, ["return 6*7"])()
		(function () {}).constructor("return 6*7")()
		(function () {})["const" + "ructor"]("return 6*7")()
		(function () { return arguments.callee.constructor("return 6*7")() })()
		[].map.constructor("return 6*7")()
		"".constructor.constructor("return 6*7")()
		({}).constructor.constructor("return 6*7")()
		this.constructor.constructor("return 6*7")()
		console.log.constructor("return 6*7")()
		new Map().set.constructor("return 6*7")()
		Math.max.bind(null).constructor("return 6*7")()
		Object.getPrototypeOf(function () {}).constructor("return 6*7")()
		(function () {}).__proto__.constructor("return 6*7")()
		Object.getOwnPropertyDescriptor(Object.getPrototypeOf(isNaN), "constructor").value("return 6*7")()
		new Proxy(function () {}, {}).constructor("return 6*7")()
		Reflect.get(Reflect.getPrototypeOf(Object), "constructor")("return 6*7")()
		Object.getOwnPropertyDescriptor({get a() {}}, "a").get.constructor("return 6*7")()
		try { null.x } catch (x) { x.constructor.constructor("return 6*7")() }
	END
	says 'delete Function.prototype.constructor; Object.defineProperty(Object.getPrototypeOf(isNaN),
		"constructor", {value: 1})' '.status == "error"' 'the constructor cannot be put back'
	says '[typeof require, typeof process, typeof module, typeof Duktape, typeof Buffer, typeof CBOR]' \
		'.value | all(. == "undefined")' 'nothing of the host or the engine is there'
}

test_redefined
test_traps
test_throws
test_forged_output
test_terminal
test_code_from_strings
tap_done
