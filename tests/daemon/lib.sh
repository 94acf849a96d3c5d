# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # the variables are for the tests that include this
# What the tests of quodd share: a daemon in the test's directory, requests, and replies
# judged by the description of the interface.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
quodd=$QUOD_TEST_BUILD/quodd
talk=$QUOD_TEST_BUILD/tests/daemon/talk
socket=$dir/socket
api=$QUOD_TEST_SOURCE/docs/openapi.json
schema=$QUOD_TEST_SOURCE/tests/daemon/schema.jq
daemon=
trap 'daemon_kill; rm -rf "$dir"' EXIT
mkdir "$dir/state"

# server_of MONITOR: its server, once it has one. Before that it has children of another kind.
server_of() {
	for _ in $(seq 1500); do
		for server_found in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
			if [ "$(cat "/proc/$server_found/comm" 2>/dev/null)" = quodd-server ]; then
				echo "$server_found"
				return
			fi
		done
		[ -d "/proc/$1" ] || return
		sleep 0.02
	done
}

# daemon_start OPTIONS...: until it listens; $daemon is the monitor, $server the other.
# Without $pool there are no warm jails: every jail is that of a run.
daemon_start() {
	"$quodd" --socket "$socket" --state "$dir/state" --pool "${pool:-0}" "$@" >"$dir/log" 2>&1 </dev/null &
	daemon=$!
	server=$(server_of "$daemon")
	for _ in $(seq 500); do
		! curl -s --unix-socket "$socket" http://quodd/healthz >/dev/null 2>&1 || return 0
		[ -d "/proc/$daemon" ] || return 1
		sleep 0.02
	done
	return 1
}

# daemon_stop: by SIGTERM; $code is its exit code.
daemon_stop() {
	kill -TERM "$daemon"
	code=0
	wait "$daemon" || code=$?
	daemon=
}

# Whatever a test left, by the test's own pids.
daemon_kill() {
	[ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null
	wait
}

# request ARGS... PATH: $http is the status, $type the content type; the reply is in
# $dir/out, its headers in $dir/headers.
request() {
	for request_path; do :; done
	rm -f "$dir/out" "$dir/headers"
	http=$(curl -sS -m 60 --unix-socket "$socket" -o "$dir/out" -D "$dir/headers" \
		-w '%{http_code}' "$@" 2>"$dir/err")
	type=$(sed -n 's/\r$//; s/^Content-Type: //p' "$dir/headers" 2>/dev/null)
	code=$http
	err=$(cat "$dir/err")
}

# post JSON PATH [ARGS...]
post() {
	post_json=$1
	post_path=$2
	shift 2
	request -H 'Content-Type: application/json' --data-binary "$post_json" "$@" \
		"http://quodd$post_path"
}

get() {
	request "http://quodd$1"
}

# conforms SCHEMA NAME: every value of the reply is what the description says.
conforms() {
	conforms_wrong=$(jq -rn --slurpfile api "$api" --arg name "$1" \
		--slurpfile value "$dir/out" -f "$schema" 2>&1)
	if [ -z "$conforms_wrong" ] && [ -s "$dir/out" ]; then
		pass "$2: the reply is a $1"
	else
		fail "$2: the reply is a $1" "$conforms_wrong
$(head -c 1000 "$dir/out")"
	fi
}

# refused STATUS WHERE NAME: a problem of that status, at that place.
refused() {
	is "$http $type $(field .where)" "$1 application/problem+json $2" "$3"
	conforms Problem "$3"
}

# await_dead PID: until it is no more, or waits for its parent to be told.
await_dead() {
	for _ in $(seq 1500); do
		grep -q '^State:	[^Z]' "/proc/$1/status" 2>/dev/null || return 0
		sleep 0.02
	done
	return 1
}

# jails_of MONITOR: their processes: its children but for the server and the zygotes, which
# live in its user namespace.
jails_of() {
	for jails_found in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		case $(cat "/proc/$jails_found/comm" 2>/dev/null) in
		quodd-server) continue ;;
		jail-zygote)
			[ "$(readlink "/proc/$jails_found/ns/user")" != "$(readlink "/proc/$1/ns/user")" ] ||
				continue
			;;
		esac
		echo "$jails_found"
	done
}

# find_jail: the process of the one run that is under way is $jail; empty if there is none.
find_jail() {
	jail=$(jails_of "$daemon" | tail -n 1)
}

# flight_start: a run that does not end, once its script runs; $client is who waits for it,
# $jail its process.
flight_start() {
	rm -f "$dir/flight"
	mkfifo "$dir/flight"
	curl -sSN -m 60 --unix-socket "$socket" -H 'Accept: application/x-ndjson' \
		-H 'Content-Type: application/json' \
		-d "${1:-"{\"source\":\"console.log('now'); for (var n = 1; n > 0;);\"}"}" \
		http://quodd/v1/run >"$dir/flight" 2>/dev/null &
	client=$!
	exec 4<"$dir/flight"
	read -r line <&4
	find_jail
}

# flight_end: what its client got after the first line is in $rest.
flight_end() {
	rest=$(cat <&4)
	exec 4<&-
	wait "$client"
}

# hoard N: $open of them stay open, $away were turned away.
hoard() {
	mkfifo "$dir/hold"
	: >"$dir/hoard"
	"$talk" "$socket" "$1" <"$dir/hold" >"$dir/hoard" &
	hoarder=$!
	exec 5>"$dir/hold"
	for _ in $(seq 500); do
		[ "$(wc -l <"$dir/hoard")" -lt "$1" ] || break
		sleep 0.02
	done
	open=$(grep -c '^open' "$dir/hoard")
	away=$(grep -c '^HTTP/1.1 503' "$dir/hoard")
}

hoard_end() {
	exec 5>&-
	wait "$hoarder"
	rm -f "$dir/hold"
}
