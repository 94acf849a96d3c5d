#!/bin/sh
# SPDX-License-Identifier: MIT
# quod as a client of quodd when something ends: the daemon, the reader, the user's patience,
# the daemon's room for runs; and what the client itself may do while it listens.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
unset QUOD_SOCKET
loop='console.log("now"); for (var n = 1; n > 0;);'

# ends CODE WANTED NAME ARGS...: `quod ARGS`, one line with WANTED in it, and nothing else.
ends() {
	ends_code=$1
	ends_wanted=$2
	ends_name=$3
	shift 3
	code=0
	timeout -k 5 60 "$quod" "$@" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
	err=$(cat "$dir/err")
	is "$code $(wc -l <"$dir/err") $(wc -c <"$dir/out")" "$ends_code 1 0" \
		"$ends_name: exit code $ends_code, and one line"
	has "$err" "quod: *$ends_wanted" "$ends_name: which says why"
}

# client_start ARGS...: `quod run` of a script without end, once that runs; $client is its
# process and $jail its jail's. Where its output goes to is open as 4.
client_start() {
	rm -f "$dir/flight"
	mkfifo "$dir/flight"
	# A shell lets its background ignore SIGINT.
	env --default-signal=INT "$quod" run --socket "$socket" "$@" -e "$loop" \
		>"$dir/flight" 2>"$dir/err" </dev/null &
	client=$!
	exec 4<"$dir/flight"
	line=
	while [ "${line%now*}" = "$line" ]; do read -r line <&4 || break; done
	find_jail
}

# client_end: $code, and what came after the first line as $rest.
client_end() {
	code=0
	rest=$(cat <&4)
	wait "$client" || code=$?
	rest=$rest$(cat <&4)
	exec 4<&-
	err=$(cat "$dir/err")
}

test_no_daemon() {
	ends 125 'no daemon at *No such file*systemctl start quodd.socket' 'no socket' \
		run --socket "$dir/none" -e 1
	ends 125 'no daemon at *No such file' 'the same for a check' \
		check --socket "$dir/none" -e 1
	ends 2 'has 1 to 107 bytes' 'a path that is too long' run --socket \
		"/$(head -c 200 /dev/zero | tr '\0' x)" -e 1
	ends 2 'has 1 to 107 bytes' 'an empty path' run --socket '' -e 1
	: >"$dir/file"
	ends 125 'Connection refused' 'a file that is no socket' run --socket "$dir/file" -e 1
	daemon_start
	kill -KILL "$daemon" "$server"
	wait "$daemon" 2>/dev/null
	daemon=
	await_dead "$server"
	ends 125 'Connection refused' 'a socket that a dead daemon has left' \
		run --socket "$socket" -e 1
	QUOD_SOCKET=$dir/named
	export QUOD_SOCKET
	ends 125 "no daemon at '$dir/named'" 'QUOD_SOCKET is where it looks' run --daemon -e 1
	ends 125 "no daemon at '$dir/none'" 'and --socket comes first' \
		run --daemon --socket "$dir/none" -e 1
	unset QUOD_SOCKET
	if [ ! -e /run/quod/quod.sock ]; then
		ends 125 "no daemon at '/run/quod/quod.sock'" 'the usual one comes last' \
			run --daemon -e 1
	fi
}

test_not_for_daemons() {
	ends 2 '--cgroup and --daemon' 'a place of its own' run --daemon --cgroup /x -e 1
	ends 2 '--require-cgroup and --daemon' 'a cgroup that has to be' \
		run --daemon --require-cgroup -e 1
	ends 2 'takes no file' 'a policy from a file' run --socket "$socket" -p ./x.policy -e 1
	ends 2 'a source is missing' 'no source, without asking the daemon' \
		run --socket "$dir/none"
	ends 2 "no policy 'x'*default, verify, open" 'a policy that it does not have' \
		run --socket "$socket" -p x -e 1
}

test_live() {
	for kind in text ndjson; do
		client_start -o $kind
		has "$line" now "$kind: a line comes while the script runs"
		kill -INT "$client"
		client_end
		is "$code" 130 "$kind: SIGINT ends it as cancelled"
		is "$err$rest" 'quod: cancelled: stopped on request' "$kind: and a line says so"
		holds "$kind: it takes its run along" await_dead "$jail"
	done
	client_start --cases /dev/fd/3 3<<-END
		{"id":"one","input":1}
		{"id":"two","input":2}
	END
	kill -TERM "$client"
	client_end
	is "$code" 130 'told to stop, no case is begun'
	holds 'and the one that ran is gone' await_dead "$jail"
	is "$(grep -c 'is cancelled: its client has gone' "$dir/log")" 3 \
		'which is why they ended, each of them'
}

# A client that was killed, or one who reads it.
test_gone() {
	client_start
	exec 4<&-
	code=0
	wait "$client" || code=$?
	is "$code" 130 'without a reader it ends as cancelled'
	holds 'and takes its run along' await_dead "$jail"
	client_start
	kill -KILL "$client"
	client_end
	holds 'killed, it takes its run along too' await_dead "$jail"
}

# While it listens it has no capability, and a filter that knows no open, socket or exec.
test_confined() {
	client_start
	status=$(cat "/proc/$client/status")
	for what in 'CapEff:	0000000000000000' 'CapPrm:	0000000000000000' \
		'NoNewPrivs:	1' 'Seccomp:	2'; do
		has "$status" "$what" "while it listens: $what"
	done
	kill -TERM "$client"
	client_end
}

# died NAME: the client of a daemon that has. Without its monitor a server may still say how
# the run ended.
died() {
	is "$code" 125 "$1: 125"
	case "$err $(printf '%s\n' "$rest" | jq -r '.status // empty' 2>/dev/null)" in
	'quod: the daemon at '*'went away'* | 'quod: internal_error: '* | ' internal_error')
		pass "$1: which is told"
		;;
	*) fail "$1: which is told" "$err$rest" ;;
	esac
}

test_daemon_dies() {
	for victim in server monitor; do
		for kind in text json ndjson; do
			daemon_start
			if [ $kind = json ]; then
				# No line comes before the end.
				"$quod" run --socket "$socket" -o json -e "$loop" \
					>"$dir/record" 2>"$dir/err" </dev/null &
				client=$!
				for _ in $(seq 1500); do
					find_jail
					[ -z "$jail" ] || break
					sleep 0.02
				done
				exec 4<"$dir/record"
			else
				client_start -o $kind
			fi
			if [ $victim = server ]; then
				kill -KILL "$server"
			else
				kill -KILL "$daemon"
			fi
			client_end
			died "$kind: the $victim dies"
			wait "$daemon" 2>/dev/null
			daemon=
			await_dead "$server"
		done
	done
}

# Of a daemon that knows us as this tenant.
test_tenant() {
	mkdir -p "$dir/etc/tenants.d"
	printf '[Tenant]\nUser=%s\nPolicies=verify\nRunsMax=1\nQueueMax=0\n' "$(id -u)" \
		>"$dir/etc/tenants.d/us.conf"
	daemon_start --config "$dir/etc" || fail 'a daemon with tenants' "$(cat "$dir/log")"
	client_start
	ends 125 '(429): *try again in 1 s' 'too many runs' run --socket "$socket" -e 1
	kill -TERM "$client"
	client_end
	await_dead "$jail"
	"$quod" run --socket "$socket" -o json -e true >"$dir/out" 2>"$dir/err"
	is "$(field '.policy + " " + .tenant')" 'verify us' 'who names no policy gets his first'
	ends 2 "no policy 'open'*verify" 'and no policy that is not his' \
		run --socket "$socket" -p open -e 1
	daemon_stop
	# Who has started it may see the policies, and runs nothing.
	printf '[Tenant]\nTokenSHA256=%064d\n' 0 >"$dir/etc/tenants.d/us.conf"
	daemon_start --config "$dir/etc" || fail 'a daemon whose tenant is another' "$(cat "$dir/log")"
	ends 125 'you are no tenant of' 'an operator who is no tenant' run --socket "$socket" -e 1
	ends 125 'no tenant of' 'whatever he names' run --socket "$socket" -p default -e 1
	daemon_stop
}

# as_nobody ARGS...: `quod ARGS` of a user who is no tenant.
as_nobody() {
	code=0
	setpriv --reuid=nobody --regid=nogroup --clear-groups "$quod" "$@" </dev/null \
		>"$dir/out" 2>"$dir/err" || code=$?
	err=$(cat "$dir/err")
}

test_strangers() {
	if [ "$QUOD_TEST_MODE" != caller ] || [ "$(id -u)" != 0 ]; then
		return
	fi
	chmod 711 "$dir"
	as_nobody run --socket "$socket" -e 1
	is "$code" 125 'who may not connect'
	has "$err" 'quod: no daemon at *Permission denied' 'is told so'
	chmod 666 "$socket"
	as_nobody run --socket "$socket" -e 1
	is "$code" 125 'who is not served'
	has "$err" 'quod: the daemon at *refuses (403): ' 'is told so'
	chmod 600 "$socket"
}

test_no_daemon
daemon_start || fail 'the daemon starts' "$(cat "$dir/log")"
test_not_for_daemons
test_live
test_gone
test_confined
test_strangers
daemon_stop
test_daemon_dies
test_tenant
tap_done
