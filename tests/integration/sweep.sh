#!/bin/sh
# SPDX-License-Identifier: MIT
# What a killed quod leaves: nothing that runs, and after the next start nothing at all.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

# Leaves below any cgroup called quod.
leaves() {
	find /sys/fs/cgroup -path '*/quod/01*' -type d 2>/dev/null | wc -l
}

"$quod" run -e 1 >/dev/null
before=$(leaves)
for signal in KILL ALRM XCPU; do
	"$quod" run -o ndjson -e 'console.log("up"); for (;;);' >"$dir/events" &
	pid=$!
	for _ in $(seq 500); do
		grep -q '"up"' "$dir/events" && break
		sleep 0.02
	done
	guest=$(cut -d ' ' -f 1 "/proc/$pid/task/$pid/children")
	kill -$signal $pid
	wait $pid 2>/dev/null
	for _ in $(seq 500); do
		[ -d "/proc/$guest" ] || break
		sleep 0.02
	done
	holds "SIG$signal of quod ends its guest" test ! -d "/proc/$guest"
done
"$quod" run -e 1 >/dev/null
is "$(leaves)" "$before" 'the next start leaves no leaf of theirs'

# A leaf in use is not swept away under it.
"$quod" run -o ndjson -e 'console.log("up"); setTimeout(function () {}, 1500); true' >"$dir/events" &
pid=$!
for _ in $(seq 500); do
	grep -q '"up"' "$dir/events" && break
	sleep 0.02
done
"$quod" run -e 1 >/dev/null
code=0
wait $pid || code=$?
is "$code" 0 'a start beside a run does it no harm'
is "$(leaves)" "$before" 'and its leaf is gone with it'

tap_done
