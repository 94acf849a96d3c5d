#!/bin/sh
# SPDX-License-Identifier: MIT
# Who ends, and what goes with him: clients that go away, SIGKILL of either process of
# quodd or of both with a run under way, a second daemon. Nothing is left, and the next
# daemon takes over.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"

test_client() {
	flight_start
	is "$(cat "/proc/$jail/comm")" quod-js 'a run is under way'
	kill "$client"
	flight_end
	holds 'a client that goes away takes its run along' await_dead "$jail"
	post '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'and nothing else'
	# Not only while something is sent: a record comes at the end alone.
	curl -sS -m 60 --unix-socket "$socket" -H 'Content-Type: application/json' \
		-d '{"source":"for (var n = 1; n > 0;);"}' http://quodd/v1/run \
		>/dev/null 2>&1 &
	client=$!
	for _ in $(seq 1500); do
		find_jail
		[ -z "$jail" ] || break
		sleep 0.02
	done
	kill "$client"
	wait "$client"
	holds 'also one who waits for a record' await_dead "$jail"
	# Its deadline would have ended the run too.
	is "$(grep -c 'is cancelled: its client has gone' "$dir/log")" 2 'which is why they ended'
}

# The same daemon again, on what the last has left.
again() {
	if daemon_start; then
		post '{"source":"1"}' /v1/run
		is "$(field .status)" ok "after $1 the next daemon takes over"
	else
		fail "after $1 the next daemon takes over" "$(cat "$dir/log")"
	fi
}

test_server_dies() {
	flight_start
	kill -KILL "$server"
	code=0
	wait "$daemon" || code=$?
	daemon=
	is "$code" 1 'without its server the monitor ends'
	has "$(cat "$dir/log")" 'the server was killed by SIGKILL' 'and says so'
	holds 'the run goes along' await_dead "$jail"
	flight_end
	is "$(ls "$socket" 2>/dev/null)" '' 'the socket too'
	again 'the death of a server'
}

test_monitor_dies() {
	flight_start
	kill -KILL "$daemon"
	wait "$daemon" 2>/dev/null
	daemon=
	holds 'without the monitor the server ends' await_dead "$server"
	holds 'and the run' await_dead "$jail"
	flight_end
	again 'the death of a monitor'
}

test_both_die() {
	flight_start
	kill -KILL "$daemon" "$server"
	wait "$daemon" 2>/dev/null
	daemon=
	holds 'without both there is no run' await_dead "$jail"
	flight_end
	again 'the death of both'
}

# A process that somebody else has put into the run's cgroup keeps no client waiting: the
# run is told, then the process is killed and the cgroup removed.
test_foreigner() {
	flight_start '{"source":"console.log(1); setTimeout(function () {}, 300)"}'
	leaf=/sys/fs/cgroup/unified$(sed -n 's/^0:://p' "/proc/$jail/cgroup")
	[ -d "$leaf" ] || leaf=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$jail/cgroup")
	if [ "$QUOD_TEST_MODE" != caller ] || [ "$(id -u)" != 0 ] ||
		[ "${leaf%.run}" = "$leaf" ] || [ ! -d "$leaf" ]; then
		flight_end
		return
	fi
	sleep 1000 &
	foreigner=$!
	echo "$foreigner" >"$leaf/cgroup.procs"
	flight_end
	is "$(printf '%s\n' "$rest" | tail -n 1 | jq -r .status)" ok \
		'a foreigner in its cgroup does not change a run'
	holds 'he is killed' await_dead "$foreigner"
	for _ in $(seq 500); do
		[ -d "$leaf" ] || break
		sleep 0.02
	done
	holds 'and the cgroup removed' test ! -d "$leaf"
	wait "$foreigner" 2>/dev/null
}

test_second_daemon() {
	code=0
	timeout 20 "$quodd" --socket "$dir/other" --state "$dir/state" >"$dir/out" 2>&1 || code=$?
	is "$code" 2 'a second daemon on the same state is refused'
	has "$(cat "$dir/out")" 'another daemon has' 'and told why'
	code=0
	timeout 20 "$quodd" --socket "$socket" >"$dir/out" 2>&1 || code=$?
	is "$code" 2 'one on the same socket is refused'
	has "$(cat "$dir/out")" 'listens on' 'and told why'
	echo precious >"$dir/file"
	code=0
	timeout 20 "$quodd" --socket "$dir/file" >"$dir/out" 2>&1 || code=$?
	is "$code $(cat "$dir/file")" '2 precious' 'what is no socket is not replaced'
	post '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'the first does not mind'
}

test_drain() {
	flight_start '{"source":"console.log(1); setTimeout(function () {}, 700)"}'
	kill -TERM "$daemon"
	flight_end
	is "$(printf '%s\n' "$rest" | tail -n 1 | jq -r .status)" ok \
		'told to stop it lets the run finish'
	code=0
	wait "$daemon" || code=$?
	daemon=
	is "$code" 0 'and then ends in order'
	daemon_start
	flight_start
	kill -TERM "$daemon"
	kill -INT "$daemon"
	code=0
	wait "$daemon" || code=$?
	daemon=
	holds 'told twice it does not wait' await_dead "$jail"
	is "$code" 1 'and that is no order'
	flight_end
}

test_wrong_starts() {
	for words in '--socket' \
		"--socket $dir/x --server-user root" "--socket $dir/x --user yes" "--socket $dir/x --runs 0" "--socket $dir/x --runs 1x" \
		"--socket $dir/x y" "--socket $dir/none/x" "--socket $dir/x --state $dir/none" \
		'--nonsense'; do
		code=0
		# shellcheck disable=SC2086 # words
		timeout 20 "$quodd" $words >"$dir/out" 2>&1 || code=$?
		is "$code $(wc -l <"$dir/out")" '2 1' "quodd $words: one line says what is wrong"
	done
}

daemon_start || fail 'the daemon starts' "$(cat "$dir/log")"
test_client
test_foreigner
test_server_dies
test_monitor_dies
test_both_die
test_second_daemon
test_drain
test_wrong_starts
tap_done
