#!/bin/sh
# SPDX-License-Identifier: MIT
# Stopped and continued: a guest that sleeps goes on, and a quod that was stopped over the
# deadline claims no success that it did not see in time.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

"$quod" run -o ndjson -e 'console.log("up"); setTimeout(function () { console.log("woke"); }, 700); true' \
	>"$dir/events" &
pid=$!
guest=$(child_of $pid)
await_line "$dir/events" '"up"'
kill -STOP "$guest"
sleep 0.1
kill -CONT "$guest"
code=0
wait $pid || code=$?
is "$code" 0 'a guest that is stopped while it sleeps goes on'
tail -n 1 "$dir/events" >"$dir/out"
record_has '.status == "ok" and .passed and ([.logs[].text] == ["up", "woke"])' \
	'and ends as it would have'

rm "$dir/events"
"$quod" run -o ndjson --timeout 400ms \
	-e 'console.log("up"); var t = Date.now(); while (Date.now() - t < 800); true' >"$dir/events" &
pid=$!
await_line "$dir/events" '"up"'
kill -STOP $pid
sleep 1.2
kill -CONT $pid
code=0
wait $pid || code=$?
tail -n 1 "$dir/events" >"$dir/out"
ends_as timeout 124 'an end that was not seen before the deadline is no success'
record_has '.passed == false' 'and has not passed'

tap_done
