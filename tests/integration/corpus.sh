#!/bin/sh
# SPDX-License-Identifier: MIT
# The gate's corpus in real jails, under a policy like the default one: no harmless source is
# rejected, and none ends as an error but for those that only a host could run; of the hostile
# ones not one gets to its end, be it the gate that stops it or the engine. Needs the second
# engine: most of them are of today.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

corpus=$QUOD_TEST_SOURCE/tests/gate/corpus
for f in "$corpus"/harmless/*.js; do
	status=$("$quod" run -o json --timeout 3s "$f" 2>"$dir/err" | jq -r '.status + " " + (.error.name // "")')
	case $status in
	'ok ') pass "harmless: ${f##*/} runs" ;;
	*) fail "harmless: ${f##*/} runs" "$status $(cat "$dir/err")" ;;
	esac
done
for f in "$corpus"/hostile/*.js; do
	status=$("$quod" run -o json --timeout 3s "$f" 2>"$dir/err" | jq -r .status)
	case $status in
	rejected | error) pass "hostile: ${f##*/} is stopped" ;;
	*) fail "hostile: ${f##*/} is stopped" "$status $(cat "$dir/err")" ;;
	esac
done
tap_done
