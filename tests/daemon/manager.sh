#!/bin/sh
# SPDX-License-Identifier: MIT
# quodd below a service manager: sockets that it is passed, what it tells, a server that
# hangs, TCP, restarts under load.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
manager=$QUOD_TEST_BUILD/tests/daemon/manager
managing=
trap 'manager_kill; daemon_kill; rm -rf "$dir"' EXIT

# start SOCKET... -- OPTIONS...: until it is ready, or has ended for good; once: it is not
# started again.
start() {
	rm -f "$dir/once"
	if [ "$1" = once ]; then
		touch "$dir/once"
		shift
	fi
	start_sockets=
	while [ "$1" != -- ]; do
		start_sockets="$start_sockets $1"
		shift
	done
	shift
	rm -f "$dir/told" "$dir/pid"
	# shellcheck disable=SC2086 # words
	"$manager" "$dir" $start_sockets -- "$quodd" --state "$dir/state" "$@" \
		>"$dir/log" 2>&1 </dev/null &
	managing=$!
	await_told READY=1
}

# await_told WORDS: until a message has them, or there is no daemon any more.
await_told() {
	for _ in $(seq 1500); do
		! grep -q "$1" "$dir/told" 2>/dev/null || return 0
		[ -d "/proc/$managing" ] || return 1
		sleep 0.02
	done
	return 1
}

both() {
	daemon_pid=$(cat "$dir/pid")
	server=$(server_of "$daemon_pid")
}

stop() {
	kill -TERM "$managing"
	wait "$managing"
	managing=
}

manager_kill() {
	[ -z "$managing" ] || kill -KILL "$managing" 2>/dev/null
	managing=
}

test_tells() {
	start "unix:$socket" --
	post '{"source":"1+1"}' /v1/run
	is "$(field .status)" ok 'on a socket that was passed it serves'
	is "$(grep -c '^READY=1' "$dir/told")" 1 'it is ready once'
	is "$(sed -n '/^WATCHDOG/d; s/=.*//p' "$dir/told" | head -n 1)" STATUS 'with a line on what it does'
	has "$(grep -m 1 STATUS "$dir/told")" ' jails, of at most 16 runs' 'which says it'
	# Who is there before the server is sealed waits; whoever is told ready finds it so.
	both
	has "$(cat "/proc/$server/status")" 'Seccomp:	2' 'ready means sealed'
	kill -HUP "$daemon_pid"
	await_told RELOADING=1
	for _ in $(seq 500); do
		[ "$(grep -c '^READY=1' "$dir/told")" -lt 2 ] || break
		sleep 0.02
	done
	is "$(grep -E '^(READY|RELOADING)' "$dir/told" | sed 's/[0-9]\{3,\}/N/' | tr '\n' ' ')" \
		'READY=1 RELOADING=1|MONOTONIC_USEC=N READY=1 ' 'a reload is told, and its end'
	holds 'the line follows what happens' await_told 'since the start [1-9][0-9]* made, 0 failed'
	stop
	is "$(grep -c '^STOPPING=1' "$dir/told") $(cat "$dir/ends")" '1 0' 'it tells that it stops'
	holds 'the socket is not its own and stays' test -S "$socket"
}

test_hangs() {
	MANAGER_WATCHDOG_US=1000000
	export MANAGER_WATCHDOG_US
	start once "unix:$socket" --
	both
	await_told WATCHDOG=1
	for _ in $(seq 500); do
		[ "$(grep -c '^WATCHDOG=1' "$dir/told")" -lt 4 ] || break
		sleep 0.02
	done
	holds 'while both live the watchdog is fed' \
		test "$(grep -c '^WATCHDOG=1' "$dir/told")" -ge 4
	kill -STOP "$server"
	fed=$(grep -c '^WATCHDOG=1' "$dir/told")
	wait "$managing"
	managing=
	holds 'from then on it is not' \
		test "$(grep -c '^WATCHDOG=1' "$dir/told")" -le $((fed + 1))
	is "$(cat "$dir/ends")" 1 'a server that hangs is the end of the daemon'
	has "$(cat "$dir/log")" 'the server does not answer' 'which says so'
	holds 'the server is gone' await_dead "$server"
	unset MANAGER_WATCHDOG_US
}

# tcp N PATH ARGS...: to the Nth TCP socket.
tcp() {
	tcp_port=$(sed -n "$1p" "$dir/ports")
	tcp_host=127.0.0.1
	[ "$1" = 1 ] || tcp_host='[::1]'
	tcp_path=$2
	shift 2
	rm -f "$dir/out"
	http=$(curl -gsS -m 60 -o "$dir/out" -D "$dir/headers" -w '%{http_code}' "$@" \
		"http://$tcp_host:$tcp_port$tcp_path" 2>"$dir/err")
	type=$(sed -n 's/\r$//; s/^Content-Type: //p' "$dir/headers")
}

# await_running N: so many runs are under way.
await_running() {
	for _ in $(seq 1500); do
		get /v1/tenants
		[ "$(field '.tenants[0].running')" != "$1" ] || return 0
		sleep 0.02
	done
	return 1
}

test_tcp() {
	start "unix:$socket" tcp4:127.0.0.1 tcp6:::1 --
	is "$(grep -c . "$dir/ports")" 2 'three sockets are passed'
	post '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'unix, where the kernel says who it is'
	for number in 1 2; do
		tcp $number /healthz
		is "$http" 200 "TCP $number: alive"
		tcp $number /v1/policies
		is "$http $type" '401 application/problem+json' 'without a token nobody is a tenant'
		conforms Problem 'and is told so'
		has "$(cat "$dir/headers")" 'WWW-Authenticate: Bearer' 'with what there is to show'
		tcp $number /v1/run -H 'Authorization: Bearer wrong' \
			-H 'Content-Type: application/json' -d '{"source":"1"}'
		is "$http" 401 'a wrong one is none'
	done
	stop
	mkdir -p "$dir/etc/tenants.d"
	printf '[Tenant]\nTokenSHA256=%s\n' "$(printf ann | sha256sum | cut -d' ' -f1)" \
		>"$dir/etc/tenants.d/ann.conf"
	start "unix:$socket" tcp4:127.0.0.1 -- --config "$dir/etc"
	curl -sS -m 60 -H 'Authorization: Bearer ann' -H 'Content-Type: application/json' \
		-d '{"source":"for (;;);"}' "http://127.0.0.1:$(sed -n 1p "$dir/ports")/v1/run" \
		>/dev/null 2>&1 &
	client=$!
	holds 'a run over TCP' await_running 1
	kill "$client"
	holds 'whose client goes away' await_running 0
	has "$(cat "$dir/log")" 'is cancelled: its client has gone' 'is cancelled'
	stop
	start once "unix:$socket" tcp4:0.0.0.0 --
	is "$(cat "$dir/ends")" 2 'TCP that others reach is refused'
	has "$(cat "$dir/log")" --tcp-anywhere 'and told how to have it'
	start "unix:$socket" tcp4:0.0.0.0 -- --tcp-anywhere
	tcp 1 /healthz
	is "$http" 200 'which works'
	stop
	for what in "bound:$dir/bound" udp4:127.0.0.1; do
		start once "$what" --
		is "$(cat "$dir/ends") $(wc -l <"$dir/log")" '2 1' "${what%%:*}: no socket to listen on"
	done
	start once a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 a:1 --
	is "$(cat "$dir/ends") $(wc -l <"$dir/log")" '2 1' 'more sockets than may be'
}

# Two lengths of one body are how requests are smuggled past a proxy.
test_smuggling() {
	start "unix:$socket" --
	for headers in 'Content-Length: 5\r\nTransfer-Encoding: chunked' \
		'Transfer-Encoding: chunked\r\nContent-Length: 5' \
		'Content-Length: 5\r\nContent-Length: 36' \
		'Content-Length: 5\r\nTransfer-Encoding: xchunked' \
		'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'; do
		printf 'POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%b\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n' \
			"$headers" | timeout 60 "$talk" "$socket" >"$dir/out" 2>&1
		is "$(head -c 12 "$dir/out") $(grep -c '^HTTP/' "$dir/out")" 'HTTP/1.1 400 1' \
			"$headers: refused, and nothing read after it"
	done
	stop
}

# Each of them asks again and again, on a connection of its own each time.
load() {
	while [ ! -e "$dir/enough" ]; do
		curl -sS -m 60 --unix-socket "$socket" -H 'Content-Type: application/json' \
			-d '{"source":"1"}' -w ' %{http_code} %{errormsg}\n' -o /dev/null \
			http://quodd/v1/run
	done
}

test_restarts() {
	rm -f "$dir/once" "$dir/enough"
	start "unix:$socket" --
	loads=
	for number in 1 2 3; do
		load >"$dir/load.$number" 2>&1 &
		loads="$loads $!"
	done
	for _ in 1 2 3 4 5 6; do
		before=$(grep -c '^READY=1' "$dir/told")
		served=$(cat "$dir"/load.* | wc -l)
		kill -USR1 "$managing"
		for _ in $(seq 1500); do
			[ "$(grep -c '^READY=1' "$dir/told")" = "$before" ] || break
			sleep 0.02
		done
		for _ in $(seq 1500); do
			[ "$(cat "$dir"/load.* | wc -l)" -lt $((served + 6)) ] || break
			sleep 0.02
		done
	done
	touch "$dir/enough"
	# shellcheck disable=SC2086 # numbers
	wait $loads
	is "$(cat "$dir/ends" | tr '\n' ' ')" '0 0 0 0 0 0 ' 'six times it was started again, in order'
	is "$(cat "$dir"/load.* | sort | uniq -c | grep -v ' 200 $')" '' \
		"no client was refused: $(cat "$dir"/load.* | wc -l) runs"
	stop
	rm -f "$dir"/load.*
}

test_drain() {
	mkdir "$dir/conf"
	printf '[Daemon]\nDrainSec=1\n' >"$dir/conf/quodd.conf"
	start once "unix:$socket" -- --config "$dir/conf"
	daemon=$(cat "$dir/pid")
	both
	flight_start
	stop
	flight_end
	daemon=
	is "$(cat "$dir/ends")" 1 'a run that does not end in time is not waited for'
	has "$(cat "$dir/log")" '1000 ms have passed since it was told to stop' 'and that is said'
	holds 'nor left behind' await_dead "$jail"
}

test_places() {
	mkdir -p "$dir/run" "$dir/home"
	env -i XDG_RUNTIME_DIR="$dir/run" HOME="$dir/home" QUOD_JS="$QUOD_JS" PATH="$PATH" \
		"$quodd" --user >"$dir/log" 2>&1 </dev/null &
	daemon=$!
	socket=$dir/run/quod/quod.sock
	for _ in $(seq 500); do
		[ ! -S "$socket" ] || break
		sleep 0.02
	done
	post '{"source":"1"}' /v1/run
	is "$(field .status)" ok "a user's own daemon is where his programs are"
	is "$(stat -c %a "$dir/run/quod" "$dir/home/.local/state/quod" | tr '\n' ' ')" '700 700 ' \
		'its directories are his alone'
	holds 'its state is there' test -e "$dir/home/.local/state/quod/lock"
	daemon_stop
	is "$code" 0 'and ends in order'
	for gone in XDG_RUNTIME_DIR HOME; do
		code=0
		env -u XDG_STATE_HOME XDG_RUNTIME_DIR="$dir/run" HOME="$dir/home" env -u "$gone" \
			timeout 20 "$quodd" --user >"$dir/out" 2>&1 || code=$?
		is "$code" 2 "without $gone there is no place"
		has "$(cat "$dir/out")" "$gone" 'and it says so'
	done
}

# ends_in_journal WHAT ARGS...: a stream of the journal's has its words, with a priority and
# without a name: it belongs to the unit, whether the journal comes to it in time or not.
ends_in_journal() {
	what=$1
	shift
	: >"$dir/stream"
	code=0
	JOURNAL_STREAM=$(stat -c %d:%i "$dir/stream") timeout 20 "$quodd" "$@" \
		>"$dir/out" 2>"$dir/stream" || code=$?
	is "$code" 2 "$what: it ends"
	has "$(cat "$dir/stream")" "<4>" "$what: and its last words are on the stream"
	is "$(grep -c '^<4>quodd' "$dir/stream")" 0 "$what: without a name"
}

test_last_words() {
	mkdir -p "$dir/bad" "$dir/words"
	echo 'nonsense' >"$dir/bad/quodd.conf"
	ends_in_journal 'a fault in the configuration' --test --config "$dir/bad"
	has "$(cat "$dir/stream")" "<4>$dir/bad/quodd.conf:1:1" 'it is the place'
	: >"$dir/words/runs.db"
	ends_in_journal 'a state that cannot be' --socket "$dir/words.sock" --state "$dir/words/runs.db"
}

test_last_words
test_tells
test_hangs
test_tcp
test_smuggling
test_restarts
test_drain
test_places
tap_done
