#!/bin/sh
# SPDX-License-Identifier: MIT
# quod as a client of quodd. What `quod run` says of a run must not depend on where it was
# made: each line of the tables is run here and by the daemon, in every kind of output, and
# the bytes are compared.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
. "$QUOD_TEST_SOURCE/tests/engines.sh"
liar=$QUOD_TEST_BUILD/tests/integration/liar
unset QUOD_SOCKET

# What no two runs have in common; the server of quodd knows no path.
blank() {
	sed -E -e 's/"id":"[0-9A-Z]{26}"/"id":""/' -e 's/"t_ms":[0-9.]+/"t_ms":0/g' \
		-e 's/"usage":\{[^}]*\}/"usage":{}/' -e 's/"tenant":[^,]*/"tenant":null/' \
		-e 's/"started_at":"[^"]*"/"started_at":""/' -e "s|'$liar'|'quod-js'|" "$1"
}

# compare COMMAND ARGS...: here and there; what differs is in $differs.
compare() {
	compare_command=$1
	shift
	for compare_at in here there; do
		compare_socket=
		[ $compare_at = here ] || compare_socket="--socket $socket"
		code=0
		# shellcheck disable=SC2086 # two words or none
		timeout -k 5 60 "$quod" "$compare_command" $compare_socket "$@" \
			<"${stdin:-/dev/null}" >"$dir/$compare_at" 2>"$dir/words" || code=$?
		blank "$dir/$compare_at" >"$dir/$compare_at.out"
		blank "$dir/words" >"$dir/$compare_at.err"
		echo "exit code $code" >>"$dir/$compare_at.err"
	done
	differs=$(
		cmp "$dir/here.out" "$dir/there.out" 2>&1 ||
			diff -a "$dir/here.out" "$dir/there.out"
		diff -a "$dir/here.err" "$dir/there.err"
	)
}

# same CODE COMMAND ARGS...: in all kinds of output, with that exit code.
same() {
	same_code=$1
	shift
	for kind in text json ndjson; do
		compare "$@" -o $kind
		if [ -z "$differs" ]; then
			is "$(tail -n 1 "$dir/there.err")" "exit code $same_code" "$kind: quod $*"
		else
			fail "$kind: quod $*" "$differs"
		fi
	done
}

test_runs() {
	same 0 run -e 'console.log("x"); console.warn("a\nb"); ({a: [1e20, "\u0007", null]})'
	same 0 run -e ''
	same 0 run -e 'undefined'
	same 0 run -e 'function f() {} f'
	same 0 run -e '"\u0000 \u2028 \ud83d\ude00 \u202e \u001b[31m"'
	same 0 run -e 'console.error("quod: not from quod\nquod: nor this"); 1'
	same 0 run --verdict -e 'true'
	same 1 run --verdict -e 'console.log("x"); false'
	same 1 run -p verify -e '1'
	same 0 run -p open -e 'eval("1+1")'
	same 1 run -e 'console.log("x"); throw new TypeError("why\nquod: not this")'
	same 1 run -e 'function g() { throw new Error("deep") } function f() { g() } f()'
	same 1 run -e 'function f() { f() } f()'
	same 1 run -e 'b c'
	same 1 run -e 'throw null'
	same 3 run -e 'eval("1"); new Function("x")'
	same 3 run "$QUOD_TEST_BUILD/quod"
	printf '\377' >"$dir/latin"
	same 3 run "$dir/latin"
	same 3 run --mode strict -e 'typeof process !== "undefined" && process.exit()'
	same 124 run --timeout 200ms -e 'console.log(1); for (var n = 1; n > 0;);'
	same 5 run --memory 2M -e 'for (var s = "x"; ; ) s += s'
	same 6 run -p verify -e 'new Array(2000).join("x")'
	same 6 run -e 'for (;;) console.log("x")'
	same 6 run -e 'for (;;) console.log(new Array(1000).join("\u0001"))'
	same 0 run --seed 7 --now 2024-02-29T12:00:00Z -e 'Math.random() + "," + Date.now()'
	same 0 run --input-json '{"a": [1e20, "\u0000"],
		"b": 1}' -e 'input'
	echo '"from a file"' >"$dir/input"
	same 0 run --input "$dir/input" -e 'input'
	echo '6 * 7' >"$dir/a b.js"
	same 0 run "$dir/a b.js"
	stdin="$dir/a b.js" same 0 run -
	same 0 run --engine duktape -e '[1,2].map(function (n) { return n * n })'
	engine_is_tested quickjs || return 0
	same 0 run --engine quickjs -e 'await Promise.resolve(`${6 * 7}`)'
	same 1 run --engine duktape -e 'let x = () => 1'
	same 1 run -e 'class A { #x() { throw new RangeError("here") } y() { this.#x() } } new A().y()'
}

test_checks() {
	same 0 check -e '1'
	same 1 check -e 'var x ='
	same 3 check -e 'var f = this["ev" + "al"]; f("x"); while (true); '
	same 0 check -p open -e 'eval("1"); setTimeout(1)'
	same 3 check --mode strict -e 'typeof process !== "undefined" && process.exit()'
}

test_cases() {
	printf '%s\n' '{"id":"one","input":1}' '{"id":"t\"wo\u001b","input":{"x": [2]}}' \
		'{"id":"three","input":null}' >"$dir/cases"
	same 1 run --cases "$dir/cases" -e 'console.log("got"); if (!input) throw "none"; input'
	stdin=$dir/cases same 0 run --cases - -e 'input'
}

# What the command line gets wrong, in the same words where the daemon's policy is ours.
test_usage() {
	for words in '-e 1 --timeout 1h' '-e 1 --timeout x' '-e 1 --memory 3G' '-e 1 --mode off' \
		'-e 1 --engine x' '-e 1 --seed -1' '-e 1 --now x' '-e 1 -o x' '-e 1 -e 2' '' \
		'-e 1 x' '/none' '-e 1 --input /none' '-e 1 --input-json {' '-e 1 --nonsense' \
		'-e 1 --cases /none' "-e 1 --cases $QUOD_TEST_BUILD/quod" '-e 1 -p verify --timeout 1m'; do
		# shellcheck disable=SC2086 # words
		compare run $words
		is "$differs$(tail -n 1 "$dir/there.err")" 'exit code 2' "quod run $words: the same words"
	done
}

# Interpreters that do what no script can.
test_liar() {
	export QUOD_JS=$liar
	daemon_start || fail 'a daemon with another interpreter' "$(cat "$dir/log")"
	hello='ready gate go log:hi'
	same 0 run -e "$hello value:5 end"
	same 4 run -e "$hello call:41"
	same 139 run -e "$hello crash:16"
	same 128 run -e "$hello exit:3"
	same 128 run -e "$hello raw:ff wait"
	same 125 run -e 'exit:7'
	daemon_stop
	export QUOD_JS="$quod_js"
}

daemon_start || fail 'the daemon starts' "$(cat "$dir/log")"
test_runs
test_checks
test_cases
test_usage
daemon_stop
test_liar
tap_done
