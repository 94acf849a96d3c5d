#!/bin/sh
# SPDX-License-Identifier: MIT
# What one client cannot take away from the others: runs, connections, descriptors, time.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"

# How many wait, and for how long, is in tenants.sh.
test_runs() {
	daemon_start --runs 1
	flight_start
	post '{"source":"1"}' /v1/run -m 1
	is "$http" 000 'more runs than may be: it waits'
	get /healthz
	is "$http" 200 'other questions are answered'
	kill "$client"
	flight_end
	await_dead "$jail"
	for number in 1 2 3 4 5 6 7 8; do
		post '{"source":"'$number'"}' /v1/run
		printf '%s ' "$(field .value)"
	done >"$dir/values"
	is "$(cat "$dir/values")" '1 2 3 4 5 6 7 8 ' 'one after the other there is always room'
}

# A connection that brings a byte now and then is as dead as one that brings none.
test_slow() {
	printf 'POST /v1/run HTTP/1.1\r\nHost: x\r\nX-Slow: ' |
		timeout 60 "$talk" "$socket" slow >"$dir/slow1" 2>&1 &
	slow1=$!
	printf 'POST /v1/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n' |
		timeout 60 "$talk" "$socket" slow >"$dir/slow2" 2>&1 &
	slow2=$!
	post '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'slow clients hold up nobody'
	for slow in $slow1 $slow2; do
		code=0
		wait "$slow" || code=$?
		is "$code" 0 'and are cut off'
	done
	post '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'what comes afterwards is served'
}

test_garbage() {
	for line in 'nonsense' 'GET / HTTP/9.9' 'GET /healthz HTTP/1.1\r\nContent-Length: -1' \
		'POST /v1/run HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz' \
		"GET /$(head -c 40000 /dev/zero | tr '\0' a) HTTP/1.1"; do
		printf '%b\r\n\r\n' "$line" | timeout 60 "$talk" "$socket" >"$dir/out" 2>&1
		case $(head -c 13 "$dir/out") in
		'' | 'HTTP/1.1 4'* | 'HTTP/1.1 5'*) pass "no HTTP: $(printf %.30s "$line")" ;;
		*) fail "no HTTP: $(printf %.30s "$line")" "$(cat "$dir/out")" ;;
		esac
	done
	head -c 100000 /dev/urandom | timeout 60 "$talk" "$socket" >/dev/null 2>&1
	printf 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' |
		timeout 60 "$talk" "$socket" >"$dir/out"
	is "$(grep -c 'HTTP/1.1 200' "$dir/out")" 2 'two requests at once have two replies'
}

# With 128 descriptors: 4 for each of 8 runs, 32 in reserve, 64 connections, of which 8 are
# for others.
test_connections() {
	prlimit --pid $$ --nofile=128:128
	daemon_start --runs 8
	hoard 100
	is "$open $away" '56 44' 'so many connections and no more has one user'
	hoard_end
	for _ in $(seq 100); do
		get /healthz
		[ "$http" != 200 ] || break
		sleep 0.02
	done
	is "$http" 200 'when they are gone there is room again'
	hoard 50
	post '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'below that bound there are descriptors for a run'
	hoard_end
	daemon_stop
	prlimit --pid $$ --nofile=60:60
	code=0
	timeout 20 "$quodd" --socket "$socket" --runs 8 >"$dir/out" 2>&1 || code=$?
	is "$code" 2 'with too few descriptors it does not begin'
	has "$(cat "$dir/out")" 'ulimit -n' 'and says what mends it'
}

test_runs
test_slow
test_garbage
daemon_stop
is "$code" 0 'it ends in order'
test_connections
tap_done
