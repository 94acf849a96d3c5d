#!/bin/sh
# SPDX-License-Identifier: MIT
# What is built ahead of the job changes nothing that is said of it: the cases once more,
# then memory, which is the same to the byte, and so is the limit at which it is used up.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/engines.sh"
js=$QUOD_TEST_BUILD/quod-js
drive=$QUOD_TEST_BUILD/tests/js/drive
cases=$QUOD_TEST_SOURCE/tests/js

# report AHEAD OPTIONS...: of the source in $dir/source, without what the kernel says of it.
report() {
	report_ahead=$1
	shift
	"$drive" --ahead="$report_ahead" "$@" "$js" <"$dir/source" 2>&1 | jq -c 'del(.rss_kib)'
}

# same NAME OPTIONS...
same() {
	same_name=$1
	shift
	is "$(report 1 "$@")" "$(report 0 "$@")" "$same_name: $*"
}

# least OPTIONS...: the least heap, in steps of 16 bytes, with which the source does what it
# does with a large one.
least() {
	least_low=32768
	least_high=2097152
	least_wanted=$(report 0 --heap=33554432 "$@" | jq -c '[.text, .gate, .error]')
	while [ $((least_high - least_low)) -gt 1 ]; do
		least_middle=$(((least_low + least_high) / 2))
		if [ "$(report "$least_ahead" --arena=33554432 --heap=$((least_middle * 16)) "$@" |
			jq -c '[.text, .gate, .error]')" = "$least_wanted" ]; then
			least_high=$least_middle
		else
			least_low=$least_middle
		fi
	done
	echo $((least_high * 16))
}

# same_limit NAME OPTIONS...
same_limit() {
	limit_name=$1
	shift
	least_ahead=0
	limit_cold=$(least "$@")
	least_ahead=1
	limit_warm=$(least "$@")
	is "$limit_warm" "$limit_cold" "$limit_name: the least memory is the same"
	holds "$limit_name: and less than all" test "$limit_cold" -lt 33554432
	same "$limit_name" --arena=33554432 --heap="$limit_cold" "$@"
	same "$limit_name" --arena=33554432 --heap=$((limit_cold - 16)) "$@"
}

test_memory() {
	echo '1+1' >"$dir/source"
	same 'one line'
	same 'and the smallest heap' --heap=524288
	echo 'var a = []; for (var i = 0; i < 20000; i++) a.push("text " + i); a.length' >"$dir/source"
	same 'what takes much'
	same_limit 'an engine that takes most' --engine=1
	awk 'BEGIN { for (n = 0; n < 3000; n++) print "f(" n ", [1, {a: 2}]);" ; print "function f() {}" }' \
		>"$dir/source"
	same 'a large source'
	same_limit 'a gate that takes most' --engine=1
	echo 'var s = "x"; for (;;) s += s' >"$dir/source"
	same 'what never ends' --engine=1
	echo 'x y' >"$dir/source"
	same 'what does not compile' --engine=1
	engine_is_tested quickjs || return 0
	echo 'let x = [1, 2, 3].map((n) => n * 2); x' >"$dir/source"
	same 'the other engine'
	awk 'BEGIN { for (n = 0; n < 3000; n++) print "f(" n ", [1, {a: 2}]);" ; print "function f() {} const g = 1" }' \
		>"$dir/source"
	same 'the other engine after a gate that has left much'
}

test_cases() {
	for file in values library lockdown globals order timers errors source console async modern; do
		set -- "$cases/$file.cases"
		[ "$file" != modern ] || engine_is_tested quickjs || continue
		code=0
		QUOD_TEST_AHEAD=1 "$QUOD_TEST_BUILD/tests/js/cases" "$QUOD_TEST_ENGINES" \
			"$cases/differences.txt" "$js" "$@" >"$dir/out" 2>&1 || code=$?
		is "$code" 0 "$file.cases, built ahead"
		[ "$code" = 0 ] || grep -A 3 '^not ok' "$dir/out" | sed 's/^/# /' | head -n 40
	done
}

test_memory
test_cases
tap_done
