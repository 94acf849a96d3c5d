#!/bin/sh
# SPDX-License-Identifier: MIT
# What one who is hostile, or a configuration that comes at a bad moment, cannot take away
# from the others.
. "$QUOD_TEST_SOURCE/tests/daemon/tenants_lib.sh"

# begin_body NAME METHOD PATH: a request of his whose headers have been read and whose body
# is open on descriptor 6; body_end.
begin_body() {
	rm -f "$dir/body" "$dir/headers"
	mkfifo "$dir/body"
	: >"$dir/headers"
	curl -sSv -m 60 --unix-socket "$socket" -o "$dir/out" -w '%{http_code}' -X "$2" -T - \
		-H 'Expect: 100-continue' -H 'Content-Type: application/json' \
		-H "Authorization: Bearer token-$1" "http://quodd$3" \
		<"$dir/body" >"$dir/status" 2>"$dir/headers" &
	sender=$!
	exec 6>"$dir/body"
	for _ in $(seq 1500); do
		! grep -q 'HTTP/1.1 100' "$dir/headers" || return 0
		sleep 0.02
	done
	return 1
}

body_end() {
	exec 6>&-
	wait "$sender"
	http=$(cat "$dir/status")
	type=$(sed -n 's/\r$//; s/^< Content-Type: //p' "$dir/headers")
}

# What is thrown away is not held.
test_body() {
	tenant ann
	daemon_start --config "$etc"
	begin_body ann POST /v1/run
	head -c 70000000 /dev/zero >&6
	body_end
	refused 413 null 'a body without a stated length, longer than all that may be held'
	post_as ann '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'what comes afterwards is served'
	daemon_stop
}

# Numbers of policies are those of one configuration.
test_gone() {
	tenant ann 'Policies=verify\n'
	tenant bob 'Policies=default\n'
	daemon_start --config "$etc"
	begin_body ann GET /v1/policies
	rm "$etc/tenants.d/ann.conf"
	printf '[Tenant]\nPolicies=default\n' >"$etc/quodd.conf"
	reload
	body_end
	refused 403 null 'whoever is no tenant any more when the answer is due'
	rm -f "$etc/quodd.conf" "$etc/tenants.d"/*
	daemon_stop
}

# Whoever has started the daemon is the operator, but not with something to show.
test_shown() {
	tenant ann
	tenant bob
	daemon_start --config "$etc"
	get /v1/tenants
	is "$(field '[.tenants[].name] | join(" ")')" 'ann bob' 'nothing shown: the operator'
	for shown in 'Bearer' 'Basic YTpi' 'token-ann'; do
		request -H "Authorization: $shown" http://quodd/v1/tenants
		refused 401 null "shown: $shown"
	done
	request -H 'Authorization;' http://quodd/v1/tenants
	refused 401 null 'shown: an empty header'
	request -H 'Authorization: Bearer token-ann' -H 'Authorization: Bearer token-bob' \
		http://quodd/v1/tenants
	refused 401 null 'two of them'
	daemon_stop
}

waiting_is() {
	for _ in $(seq 1500); do
		[ "$(curl -sS --unix-socket "$socket" http://quodd/v1/tenants |
			jq '[.tenants[].queued] | add')" != "$1" ] || return 0
		sleep 0.02
	done
	return 1
}

test_more_places() {
	tenant ann 'RunsMax=1\n'
	printf '[Tenant]\nPolicies=long\n' >"$etc/quodd.conf"
	printf '[Limits]\nRuntimeMaxSec=50s\n' >"$etc/policies/long.policy"
	daemon_start --config "$etc"
	hold ann
	curl -sS -m 60 --unix-socket "$socket" -H 'Content-Type: application/json' \
		-H 'Authorization: Bearer token-ann' -d '{"source":"1"}' \
		http://quodd/v1/run >"$dir/second" 2>/dev/null &
	second=$!
	waiting_is 1
	tenant ann 'RunsMax=2\n'
	reload
	wait "$second"
	is "$(jq -r .status "$dir/second")" ok 'who waits gets a place that a reload has made'
	is "$(kill -0 "$client" && echo yes)" yes 'and not because another has ended'
	let_go
	rm -f "$etc/quodd.conf" "$etc/policies/long.policy"
	daemon_stop
}

# The order is on its way when the monitor has the new configuration and the server has not.
test_fewer_places() {
	tenant ann
	bad=0
	printf '[Daemon]\nRuns=2\n' >"$etc/quodd.conf"
	daemon_start --config "$etc"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		printf '[Daemon]\nRuns=2\n' >"$etc/quodd.conf"
		reload
		rm -f "$dir/held"
		curl -sSN -m 60 --unix-socket "$socket" -H 'Accept: application/x-ndjson' \
			-H 'Content-Type: application/json' -H 'Authorization: Bearer token-ann' \
			-d '{"source":"console.log(1); for (var n = 1; n > 0;);","limits":{"wall_ms":1500}}' \
			http://quodd/v1/run >"$dir/held" 2>/dev/null &
		client=$!
		await_line "$dir/held"
		begin_body ann POST /v1/run
		printf '{"source":"1"' >&6
		kill -STOP "$server"
		printf '}' >&6
		exec 6>&-
		printf '[Daemon]\nRuns=1\n' >"$etc/quodd.conf"
		kill -HUP "$daemon"
		sleep 0.2
		kill -CONT "$server"
		body_end
		[ "$(field .status)" = ok ] || bad=$((bad + 1))
		wait "$client"
		: >"$dir/held"
	done
	is "$bad" 0 'no run is lost to a configuration with fewer places'
	rm -f "$etc/quodd.conf"
	daemon_stop
}

# With 128 descriptors: 64 connections at 8 runs, and 16 at 20.
test_descriptors() {
	rm -f "$etc/tenants.d"/*
	printf '[Daemon]\nRuns=8\n' >"$etc/quodd.conf"
	prlimit --pid $$ --nofile=128:128
	daemon_start --config "$etc"
	printf '[Daemon]\nRuns=100\n' >"$etc/quodd.conf"
	reload
	says "$said" 'Runs=100 needs 448 descriptors' 'more runs than there are descriptors for'
	says "$said" 'the old one counts' 'are not taken'
	hoard 50
	printf '[Daemon]\nRuns=20\n' >"$etc/quodd.conf"
	reload
	get /healthz
	is "$([ "$http" = 200 ] || echo no)" no 'no room for more'
	printf '[Daemon]\nRuns=8\n' >"$etc/quodd.conf"
	reload
	is "$(curl -s -m 5 --unix-socket "$socket" -o "$dir/out" -w '%{http_code}' http://quodd/healthz)" 200 \
			'with room again it listens again'
	hoard_end
	daemon_stop
	rm -f "$etc/quodd.conf"
}

# In a user namespace of its own the server sees its own group by another number.
test_group() {
	[ "$(id -g)" != 1000 ] || return 0
	printf '[Tenant]\nGroup=%s\n' "$(id -g)" >"$etc/tenants.d/own.conf"
	tenant other
	daemon_start --config "$etc"
	post '{"source":"1"}' /v1/run
	is "$(field .tenant)" own 'the group that the caller is in'
	rm "$etc/tenants.d/own.conf"
	reload
	post '{"source":"1"}' /v1/run
	refused 403 null 'and no other'
	rm -f "$etc/tenants.d"/*
	daemon_stop
}

# as UID COMMAND...
as() {
	as_uid=$1
	shift
	setpriv --reuid="$as_uid" --clear-groups "$@"
}

# Only root can be several users.
test_users() {
	[ "$(id -u)" = 0 ] && as 12345 true 2>/dev/null || return 0
	chmod 755 "$dir"
	tenant ann 'RunsMax=8\n'
	tenant bob
	daemon_start --config "$etc"
	clients=
	for number in 1 2 3 4 5 6 7 8; do
		as 12345 curl -sS -m 60 --unix-socket "$socket" -H 'Content-Type: application/json' \
			-H 'Authorization: Bearer token-ann' \
			-d '{"source":"for (var n = 1; n > 0;);","limits":{"wall_ms":2000}}' \
			http://quodd/v1/run >"$dir/run-$number" 2>/dev/null &
		clients="$clients $!"
	done
	# shellcheck disable=SC2086 # a list
	wait $clients
	is "$(cat "$dir"/run-* | jq -rs '[.[].status] | join(" ")')" \
		'timeout timeout timeout timeout timeout timeout timeout timeout' \
		'as many runs by token as the tenant may have, whoever brings them'
	daemon_stop
	rm -f "$etc/tenants.d"/*
}

# A user of the host can be many: subordinate ids are for everybody. Descriptors as above.
test_crowd() {
	[ "$(id -u)" = 0 ] && as 12345 true 2>/dev/null || return 0
	chmod 755 "$dir"
	printf '[Tenant]\nUser=12345\n' >"$etc/tenants.d/user.conf"
	daemon_start --config "$etc" --runs 8
	mkfifo "$dir/crowd"
	crowd=
	for uid in $(seq 20001 20020); do
		as "$uid" "$talk" "$socket" 4 <"$dir/crowd" >"$dir/crowd-$uid" 2>&1 &
		crowd="$crowd $!"
	done
	exec 7>"$dir/crowd"
	for uid in $(seq 20001 20020); do
		await_line "$dir/crowd-$uid"
	done
	is "$(curl -s -m 5 --unix-socket "$socket" -o "$dir/out" -w '%{http_code}' http://quodd/healthz)" 200 \
		'twenty strangers do not shut out who has started it'
	is "$(as 12345 curl -s -m 5 --unix-socket "$socket" -w '%{http_code}' http://quodd/healthz |
		tail -n 1)" 200 'nor a tenant'
	exec 7>&-
	# shellcheck disable=SC2086 # a list
	wait $crowd
	rm -f "$etc/tenants.d"/*
	daemon_stop
}

# A tenant that does nothing has no descriptor in the monitor.
test_idle() {
	for number in $(seq 80); do
		tenant "t$number"
	done
	daemon_start --config "$etc"
	for number in $(seq 80); do
		post_as "t$number" '{"source":"1"}' /v1/run
	done
	is "$(field .status)" ok 'the eightieth of eighty tenants'
	# shellcheck disable=SC2012 # numbers
	open=$(ls "/proc/$daemon/fd" | wc -l)
	is "$([ "$open" -lt 85 ] && echo yes)" yes "few descriptors are open: $open"
	rm -f "$etc/tenants.d"/*
	daemon_stop
}

# Two daemons in one cgroup, with tenants of the same name.
test_second() {
	tenant ann
	daemon_start --config "$etc"
	post_as ann '{"source":"1"}' /v1/run
	"$quodd" --socket "$dir/other" --config "$etc" >"$dir/other.log" 2>&1 </dev/null &
	other=$!
	for _ in $(seq 500); do
		! curl -s --unix-socket "$dir/other" http://quodd/healthz >/dev/null 2>&1 || break
		sleep 0.02
	done
	curl -sS -m 60 --unix-socket "$dir/other" -H 'Content-Type: application/json' \
		-H 'Authorization: Bearer token-ann' -d '{"source":"1"}' http://quodd/v1/run >"$dir/out"
	is "$(field .status)" ok 'a second daemon has a tenant of the same name'
	kill "$other"
	wait "$other"
	daemon_stop
}

test_body
test_gone
test_shown
test_more_places
test_fewer_places
test_group
test_users
test_idle
test_second
test_descriptors
test_crowd
tap_done
