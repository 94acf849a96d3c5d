#!/bin/sh
# SPDX-License-Identifier: MIT
# A terminal holds up neither deadline nor signal: one that nobody reads, whether it can
# be opened anew (then no write to it sleeps) or not, one at which too little is typed, and
# one that has quod in the background.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
stuck=$QUOD_TEST_BUILD/tests/integration/stuck
background=$QUOD_TEST_BUILD/tests/integration/background
inmate=$QUOD_TEST_BUILD/tests/escape/inmate
parrot=$QUOD_TEST_BUILD/tests/integration/parrot

many='var i; for (i = 0; i < 900; i++) console.log("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");'
printf '{"id":"a","input":1}\n' >"$dir/cases"

# ends CODE NAME COMMAND...
ends() {
	wanted=$1 name=$2
	shift 2
	code=0
	"$@" >"$dir/out" 2>"$dir/err" || code=$?
	is $code "$wanted" "$name"
}

for how in '' -m; do
	where="nobody reads the terminal${how:+, the master of one}"
	# Words of an option, or none.
	# shellcheck disable=SC2086
	{
		ends 124 "run: the deadline comes though $where" \
			"$stuck" $how "$quod" run --timeout 1s -e "$many for (;;);"
		ends 124 "run: the same for events, $where" \
			"$stuck" $how "$quod" run -o ndjson --timeout 1s -e "$many for (;;);"
		ends 124 "exec: the deadline comes though $where" \
			"$stuck" $how "$quod" exec --timeout 1s -- "$inmate" flood
		ends 130 "run: one signal ends it though $where" \
			"$stuck" $how -t "$quod" run --timeout 1s -e "$many for (;;);"
		ends 124 "exec: one signal ends it though $where" \
			"$stuck" $how -t "$quod" exec --timeout 1s -- "$inmate" flood
	}
done

ends 124 'exec: the deadline comes though a read of the terminal waits for more' \
	"$stuck" -i "$quod" exec --timeout 1s -- "$inmate" pause

ends 124 'in the background: a run is not stopped for what it prints' \
	"$background" "$quod" run --timeout 300ms -e 'console.log(1); for (;;);'
ends 124 'in the background: nor is a case' \
	"$background" "$quod" run --timeout 300ms --cases "$dir/cases" -e 'console.log(1); for (;;);'
ends 7 'in the background: what is typed for others is the end of the input of exec' \
	"$background" "$quod" exec -- "$parrot" 7

tap_done
