#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program under `quod exec` can really have of memory, however it asks for it: its
# pages and the page tables for them, as /proc shows them while it holds all it could get.
# Where a cgroup counts, the kernel may kill it instead.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
holder=$QUOD_TEST_BUILD/tests/integration/holder

# 8 MiB are asked for. The program gets 10 more, has one or two itself, and a stack. What
# RLIMIT_DATA does not count is bounded by address space: 64 MiB above that, and twice that
# in tables where each page has two to itself.
counted=32
uncounted=90
sparse=190

# policy NAME PROCESSES
policy() {
	printf '[Limits]\nRuntimeMaxSec=60\nTasksMax=%s\n' "$2" >"$dir/$1.policy"
}

# held PID: MiB of pages and page tables.
held() {
	awk '/^(VmHWM|VmPTE|HugetlbPages):/ { kb += $2 } END { print int(kb / 1024) }' \
		"/proc/$1/status"
}

# takes POLICY WAY MOST: $out is what ended it.
takes() {
	takes_name="$1, $2"
	rm -f "$dir/out" "$dir/err"
	"$quod" exec -p "$dir/$1.policy" --memory 8M -- "$holder" "$2" </dev/null \
		>"$dir/out" 2>"$dir/err" &
	takes_quod=$!
	takes_guest=$(child_of $takes_quod)
	for _ in $(seq 2000); do
		! grep -q . "$dir/out" "$dir/err" || break
		sleep 0.02
	done
	out=$(cat "$dir/out")
	if [ -n "$out" ]; then
		takes_held=$(held "$takes_guest")
		if [ "$takes_held" -le "$3" ]; then
			pass "$takes_name: $takes_held MiB, at most $3"
		else
			fail "$takes_name: $takes_held MiB, at most $3" "$out"
		fi
	else
		has "$(cat "$dir/err")" 'quod: memory_limit: ' "$takes_name: ended"
	fi
	kill $takes_quod 2>/dev/null
	wait $takes_quod
}

test_ways() {
	for policy in $policies; do
		for way in private break moved grows-down; do
			takes $policy $way $counted
		done
		for way in protected hidden tables; do
			takes $policy $way $uncounted
		done
		takes $policy far $sparse
		for way in huge huge-shared; do
			takes $policy $way $counted
			is "$out" 'ended by ENOSYS' "$policy, $way: the host's pool is out of reach"
		done
	done
	takes one shared $counted
	# Processes may have memory in common: RLIMIT_DATA does not count it.
	[ "$policies" = one ] || takes two shared $uncounted
}

policy one 1
policy two 2
policies='one two'
# Where nobody counts processes there is one at most, see tasks.sh.
"$quod" exec -p "$dir/two.policy" -- "$holder" 2>"$dir/err" </dev/null
! grep -q 'nothing here would hold the limit of 2 processes' "$dir/err" || policies=one
test_ways
tap_done
