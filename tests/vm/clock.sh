#!/bin/sh
# SPDX-License-Identifier: MIT
# A clock that is stepped during a run moves none of its limits and none of its timers.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

# stepped BY ARGS...: a run that says "up", and the clock stepped then; its record.
stepped() {
	by=$1
	shift
	since=$(cut -d . -f 1 /proc/uptime)
	now=$(date +%s)
	rm -f "$dir/events"
	timeout -k 5 120 "$quod" run -o ndjson "$@" >"$dir/events" 2>"$dir/err" &
	pid=$!
	await_line "$dir/events" '"up"'
	date -s "@$((now + by))" >/dev/null
	code=0
	wait $pid || code=$?
	date -s "@$((now + $(cut -d . -f 1 /proc/uptime) - since))" >/dev/null
	tail -n 1 "$dir/events" >"$dir/out"
}

for by in 3600 -3600; do
	stepped $by --timeout 2s -e 'console.log("up"); for (;;);'
	ends_as timeout 124 "stepped by $by s: the deadline"
	record_has '.usage.wall_ms >= 2000 and .usage.wall_ms < 60000' \
		"stepped by $by s: is where it was"
	stepped $by --timeout 4s -e 'console.log("up"); setTimeout(function () { console.log("t") }, 1000)'
	ends_as ok 0 "stepped by $by s: a timer"
	record_has '.logs[1].text == "t" and .logs[1].t_ms >= 1000 and .logs[1].t_ms < 60000' \
		"stepped by $by s: waits as long as it should"
done
tap_done
