#!/bin/sh
# SPDX-License-Identifier: MIT
# A terminal that nobody reads holds up neither deadline nor kill.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
stuck=$QUOD_TEST_BUILD/tests/integration/stuck
inmate=$QUOD_TEST_BUILD/tests/escape/inmate

many='var i; for (i = 0; i < 900; i++) console.log("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");'

code=0
"$stuck" "$quod" run --timeout 1s -e "$many for (;;);" >/dev/null || code=$?
is "$code" 124 'run: the deadline comes though nobody reads the terminal'

code=0
"$stuck" "$quod" run -o ndjson --timeout 1s -e "$many for (;;);" >/dev/null || code=$?
is "$code" 124 'run: the same for events'

code=0
"$stuck" "$quod" exec --timeout 1s -- "$inmate" flood >/dev/null || code=$?
is "$code" 124 'exec: the deadline comes though nobody reads the terminal'

tap_done
