#!/bin/sh
# SPDX-License-Identifier: MIT
# The tenants of a daemon have cgroups of their own, with budgets for all their jails: what
# is in them, what they hold, another configuration, and what a killed daemon leaves.
. "$QUOD_TEST_SOURCE/tests/daemon/tenants_lib.sh"
top=/sys/fs/cgroup

# Where the share of a tenant is; its files.
share() {
	find $top -type d -path "*/quod/$1.*.share"
}

knob() {
	cat "$(share "$1")/$2" 2>/dev/null
}

# gone SHARE: it is not there any more.
gone() {
	for _ in $(seq 500); do
		[ -d "$1" ] || return 0
		sleep 0.02
	done
	return 1
}

tenant ann 'MemoryMax=64M\nTasksMax=50\nCPUWeight=300\nRunsMax=8\n'
tenant bob
daemon_start --config "$etc"
hold ann
is "$(knob ann memory.max) $(knob ann pids.max) $(knob ann cpu.weight)" '67108864 50 300' \
	'the budget is that of the terms'
is "$(find "$(share ann)" -type d -name '*.run' | wc -l)" 1 'the jail lies in it'
is "$(find "$(share ann)" -name memory.max -path '*.run/*' -exec cat {} + | grep -c max)" 0 \
	'and has its own limit there'
post_as bob '{"source":"1"}' /v1/run
is "$(field .enforced_by.memory)" cgroup "the other's run has a cgroup too"
is "$(knob bob memory.max) $(knob bob pids.max)" 'max max' 'but no budget'

# Each has less than its own limit, all together have more than the budget; the one that
# is held may be the one that has to go.
heap='var a = []; for (var i = 0; i < 22; i++) { a.push(new Uint8Array(1048576));'
heap="$heap for (var k = 0; k < 1048576; k += 4096) a[i][k] = 1; } for (;;);"
for number in 1 2 3 4; do
	curl -sS -m 120 --unix-socket "$socket" -H 'Content-Type: application/json' \
		-H 'Authorization: Bearer token-ann' -d "{\"source\":\"$heap\"}" \
		http://quodd/v1/run >"$dir/heap$number" &
	heaps="${heaps:-} $!"
done
for pid in $heaps; do
	wait "$pid"
done
cat "$dir"/heap[1-4] >"$dir/heaps"
is "$(jq -r 'select(.status == "internal_error").error.message' "$dir/heaps" | sort -u |
	grep -c 'memory limit of the cgroup that its runs share')" 1 'the budget holds all of them together'
is "$(jq -r .status "$dir/heaps" | grep -vE 'internal_error|timeout|cpu_limit')" '' \
	'and nothing else comes of it'
post_as bob '{"source":"1"}' /v1/run
is "$(field .status)" ok 'nobody else has noticed'
let_go 2>/dev/null

hold ann
tenant ann 'MemoryMax=128M\n'
reload
is "$(knob ann memory.max) $(knob ann pids.max)" '134217728 max' 'other terms, another budget'
anns=$(share ann)
rm "$etc/tenants.d/ann.conf"
reload
let_go
holds "with the tenant goes its share" gone "$anns"
bobs=$(share bob)
daemon_stop
holds 'nothing is left of the others' gone "$bobs"
tenant ann 'MemoryMax=64M\n'
daemon_start --config "$etc"
hold ann
anns=$(share ann)
is "$(find "$anns" -type d -name '*.run' | wc -l)" 1 'a daemon that is about to be killed'
kill -KILL "$daemon" "$server"
wait
daemon=
rm -f "$socket"
daemon_start --config "$etc"
holds 'what a killed daemon has left is swept by the next' gone "$anns"
daemon_stop
tap_done
