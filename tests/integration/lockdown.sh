#!/bin/sh
# SPDX-License-Identifier: MIT
# What a policy takes away is gone from the engine too: with the gate off, so that nothing of
# a source is looked at before it runs. (tests/js/bypasses.cases has many more ways.)
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
umask 022

# ungated NAME [LINE...]: $dir/NAME.policy, `default` without its gate and with these lines.
ungated() {
	ungated_file=$dir/$1.policy
	shift
	printf '[Run]\nBase=default\nMode=off\n' >"$ungated_file"
	for line; do
		printf '%s\n' "$line" >>"$ungated_file"
	done
}

# gives NAME SOURCE VALUE: what a source gives under the policy, as text.
gives() {
	run_json -p "$dir/$1.policy" -e "$2"
	is "$(field '.status + " " + .value_text')" "ok $3" "$1: $2"
}

# Each tries to make code from a text, and to tell what came of it.
test_dynamic_code() {
	run_json -p "$dir/closed.policy" -e 'try { eval("7") } catch (e) { e.name }'
	record_has '.gate.mode == "off" and .gate.decision == "allowed" and .status == "ok" and
		.value == "ReferenceError"' 'the gate is off: eval runs and is not there'
	while IFS='|' read -r value source; do
		gives closed "try { $source } catch (e) { e.name }" "$value"
	done <<-'END'
		ReferenceError|eval("7")
		TypeError|(0, this["ev" + "al"])("7")
		EvalError|new Function("return 7")()
		EvalError|Function("return 7")()
		EvalError|Reflect.construct(Function, ["return 7"])()
		EvalError|(function () {}).constructor("return 7")()
		EvalError|[].constructor.constructor("return 7")()
		EvalError|"".concat.constructor("return 7")()
		EvalError|Object.getPrototypeOf(function () {}).constructor("return 7")()
		EvalError|Reflect.construct((function () {}).constructor, ["return 7"])()
		EvalError|(function () {}).bind().constructor("return 7")()
		EvalError|Object.getOwnPropertyDescriptor({get x() {}}, "x").get.constructor("return 7")()
		EvalError|(function () { return arguments.callee.constructor })()("return 7")()
		EvalError|new Proxy(Map, {}).constructor("return 7")()
		TypeError|setTimeout("console.log(7)", 1)
		true|var P = Object.getPrototypeOf(function () {}); delete P.constructor; P.constructor = 7; P.constructor === Function
		true|isNaN instanceof Function && !({} instanceof Function) && typeof Function === "function"
		eval("7")|"x".replace("x", "eval(\"7\")")
		undefined|typeof Duktape
	END
	ungated open 'DynamicCode=yes'
	gives open 'eval("3+4") + Function("return 1")()' 8
}

test_timers() {
	ungated still 'Timers=no'
	for name in setTimeout setInterval clearTimeout clearInterval queueMicrotask; do
		gives still "typeof $name + ('$name' in this)" undefinedfalse
		gives closed "typeof $name + ('$name' in this)" functiontrue
	done
}

test_globals() {
	ungated few 'Globals=Object Math JSON console setTimeout Promise'
	gives few 'Object.getOwnPropertyNames(this).sort().join()' \
		'Infinity,JSON,Math,NaN,Object,console,setTimeout,undefined'
	gives few '["toString", "constructor", "__proto__"].filter(function (k) { return k in this }, this).join()' ''
	gives few 'typeof input + typeof parseInt + typeof toString + [/x/.constructor]' undefinedundefinedundefined
	run_json -p "$dir/few.policy" --input-json '{"a":1}' -e 'typeof input'
	is "$(field .value)" undefined 'input that is not listed is not there'
	ungated none 'Globals=input' 'Timers=no'
	run_json -p "$dir/none.policy" --input-json '[4]' -e 'input[0] + 3'
	is "$(field .value)" 7 'input that is'
	gives none 'typeof console + typeof setTimeout + typeof Object' undefinedundefinedundefined
	run_json -p "$dir/none.policy" -e 'console.log(1)'
	is "$(field '.status + " " + .error.name')" 'error ReferenceError' 'a name that is not listed, used'
}

# The policy `verify`, its gate off: its list, and nothing that makes code or waits.
test_verify() {
	printf '[Run]\nBase=verify\nMode=off\n' >"$dir/judge.policy"
	listed=$("$quod" policy show verify | sed -n 's/^Globals=//p' | tail -n 1)
	[ -n "$listed" ] && pass 'verify lists its globals' || fail 'verify lists its globals'
	run_json -p "$dir/judge.policy" -e 'Object.getOwnPropertyNames(this)'
	record_has "(.value - (\"$listed\" / \" \")) == []" 'no name but those of its list'
	record_has '["Object", "Map", "Set", "Math", "JSON", "console", "input"] - .value == []' \
		'the names that it is known for are there'
	for name in eval Function setTimeout setInterval queueMicrotask globalThis; do
		gives judge "typeof $name" undefined
	done
	run_json -p "$dir/judge.policy" -e '(function () {}).constructor === undefined'
	record_has '.passed and .gate.mode == "off"' 'nor does a function lead to its maker'
}

ungated closed
test_dynamic_code
test_timers
test_globals
test_verify
tap_done
