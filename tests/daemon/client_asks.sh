#!/bin/sh
# SPDX-License-Identifier: MIT
# quod status, quod history and quod cancel: what they ask, what they show of an answer, and
# their exit codes; before a daemon that says what it is told to, then before a real one.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
. "$QUOD_TEST_SOURCE/tests/daemon/pretend.sh"
unset QUOD_SOCKET
one=01ARZ3NDEKTSV4RRFFQ69G5FAV
two=01BX5ZZKBKACTAV9WEVGEMMVS0

# asks CODE NAME: `quod $words` before those answers; what it was asked for is $asked.
asks() {
	asks_code=$1
	asks_name=$2
	shift 2
	with "$@"
	asked=$(sed 1d "$dir/said")
	is "$code" "$asks_code" "$asks_name: exit code $asks_code"
}

# shows NAME: stdout is what comes on stdin.
shows() {
	cat >"$dir/wanted"
	is "$(cat "$dir/out")" "$(cat "$dir/wanted")" "$1"
}

test_status() {
	printf '{"status":"ok"}\n' | answer ready '200 OK' application/json
	printf '{"detail":"it is\\nstopping","where":null}' |
		answer unready '503 X' application/problem+json
	cat >"$dir/red" <<-'END'
		{"status":"not ready","api":1,"missing":[
		  {"what":"history","why":"it is full\n","mend":"make room\u001b[31m"},
		  {"what":"service","why":"none","mend":null},{"what":7},8],
		 "version":"1","findings":[{"name":"memory controller","state":"less",
		  "found":"there is none","remedy":"boot anew"}]}
	END
	answer red '503 X' application/json <"$dir/red"
	printf '{"status"' | answer redder '503 X' application/json
	cat >"$dir/tenants" <<-'END'
		{"tenants":[
		 {"name":"alpha","policies":["default","verify"],"running":3,"queued":17,"runs_most":8,
		  "queue_most":64,"rate_per_second":12.500,"started":1234567,"refused":0},
		 {"name":"b\u001b[31m\u202e\n","policies":[],"running":10,"queued":0,"runs_most":16,
		  "queue_most":0,"rate_per_second":null,"started":1,"refused":22,"later":{"x":1}}],
		 "warm":4,"runs_most":32}
	END
	answer tenants '200 OK' application/json <"$dir/tenants"
	words='status'
	asks 0 'a daemon with two tenants' tenants ready
	is "$asked" 'GET /v1/tenants HTTP/1.1
GET /readyz HTTP/1.1' 'it asks for tenants and readiness'
	shows 'one screen, in columns' <<-END
		quodd at $dir/pretend: ready
		13 running of at most 32, 17 queued, 4 jails warm

		TENANT                 RUNNING  OF  QUEUED  OF  RATE/S  STARTED  REFUSED  POLICIES
		alpha                        3   8      17  64  12.500  1234567        0  default verify
		b\\x1b[31m\\u{202e}\\x0a       10  16       0   0       -        1       22  -
	END
	words='status -o json'
	asks 0 'the same as JSON' tenants ready
	is "$(jq -c . "$dir/out")" "$(jq -c '{ready: true, readiness: {status: "ok"}} + .' "$dir/tenants")" \
		'is what the daemon said of both'
	asks 1 'one that is not ready' tenants unready
	is "$(jq -c '[.ready, .readiness.detail]' "$dir/out")" '[false,"it is\nstopping"]' 'says so'
	asks 1 'one that is red' tenants red
	is "$(jq -c .readiness "$dir/out")" "$(jq -c . "$dir/red")" 'says all of it'
	asks 1 'one whose readiness is no JSON' tenants redder
	is "$(jq -c .readiness "$dir/out")" null 'says nothing of it'
	words='status'
	asks 1 'the same as text' tenants unready
	has "$(head -n 1 "$dir/out")" ': not ready: it is\\x0astopping' 'says so, and why'
	asks 1 'one that is red' tenants red
	sed '/^$/,$d' "$dir/out" >"$dir/head" && mv "$dir/head" "$dir/out"
	shows 'says what is missing and what the host lacks' <<-END
		quodd at $dir/pretend: not ready
		  history: it is full\x0a
		    -> make room\x1b[31m
		  service: none
		  memory controller: there is none
		    -> boot anew
		13 running of at most 32, 17 queued, 4 jails warm
	END
	printf '{"detail":"not you"}' | answer forbidden '403 X' application/problem+json
	asks 125 'one that does not serve us' forbidden ready
	has "$err" 'quod: *refuses (403): not you' 'is told as a failure'
	printf '{"tenants":1' | answer broken '200 OK' application/json
	asks 125 'an answer that is no JSON' broken ready
	printf '{"tenant":[]}' | answer broken '200 OK' application/json
	asks 125 'an answer without tenants' broken ready
	has "$err" 'quod: *another version' 'is told as what it may be'
}

test_history() {
	cat >"$dir/runs" <<-END
		{"runs":[{"id":"$two","tenant":"alpha","policy":"verify","status":"running",
		 "passed":false,"engine":null,"usage":{"wall_ms":0},"started_at":"2026-11-30T17:00:00.000Z"},
		 {"id":"$one","tenant":"a\u009b","policy":"default","status":"memory_limit","engine":"quickjs",
		 "usage":{"cpu_ms":1,"wall_ms":1234.5},"started_at":"2026-11-30T16:00:00.000Z"}, {}],
		 "next":"$one"}
	END
	answer runs '200 OK' application/json <"$dir/runs"
	words='history'
	asks 0 'the history' runs
	is "$asked" 'GET /v1/runs HTTP/1.1' 'asks for all of it'
	shows 'newest first, in columns' <<-END
		ID                          STARTED                   STATUS        POLICY   ENGINE   TENANT   WALL_MS
		$two  2026-11-30T17:00:00.000Z  running       verify   -        alpha          0
		$one  2026-11-30T16:00:00.000Z  memory_limit  default  quickjs  a\\u{9b}   1234.5
		-                           -                         -             -        -        -              -
		older ones: quod history --before $one
	END
	words="history -o json --limit 7 --before $one --status timeout --tenant a&b=%/é"
	asks 0 'a choice of it as JSON' runs
	is "$asked" "GET /v1/runs?limit=7&before=$one&status=timeout&tenant=a%26b%3D%25%2F%C3%A9 HTTP/1.1" \
		'asks for what was typed, and nothing else'
	holds 'and gives what came' cmp "$dir/out" "$dir/runs"
	printf '{"id":"%s","status":"error","error":{"name":"E","message":"a\\nb\\u001b"},"logs":[],
		"value":null,"limits":{"wall_ms":5}}' $one >"$dir/run"
	answer run '200 OK' application/json <"$dir/run"
	words="history $one"
	asks 0 'one run' run
	is "$asked" "GET /v1/runs/$one HTTP/1.1" 'asks for that run'
	shows 'a row for each thing that is known' <<-END
		id              $one
		status          error
		error.name      E
		error.message   a\\x0ab\\x1b
		logs            -
		value           -
		limits.wall_ms  5
	END
	printf '{"detail":"there is no such run"}' | answer none '404 X' application/problem+json
	asks 1 'a run that is not there' none
	has "$err" 'quod: *there is no such run' 'is told so'
	words='history'
	asks 125 'a daemon without a history' none
	printf '{"runs":{}}' | answer broken '200 OK' application/json
	asks 125 'an answer without runs' broken
}

test_cancel() {
	printf '{}' | answer accepted '202 X' application/json
	printf '{"detail":"it is over"}' | answer over '409 X' application/problem+json
	words="cancel $one"
	asks 0 'a run is cancelled' accepted
	is "$asked$(cat "$dir/out" "$dir/err")" "DELETE /v1/runs/$one HTTP/1.1" 'without a word'
	asks 1 'one that is over' over
	has "$err" 'quod: *it is over' 'is told so'
	asks 1 'one that is not there' none
	asks 125 'one that is not ours' forbidden
}

test_usage() {
	for words in 'status x' 'status -o ndjson' 'status --limit 1' 'history x' "history $one $two" \
		'history --limit 0' 'history --limit 201' 'history --limit x' 'history --status fine' \
		'history --before x' "history $one --limit 1" 'history -o ndjson' 'cancel' 'cancel x' \
		"cancel $one $two" "cancel ${one}0" "cancel 8${one#0}" 'cancel ../../healthz'; do
		code=0
		# shellcheck disable=SC2086 # words
		timeout 60 "$quod" $words --socket "$dir/none" >"$dir/out" 2>"$dir/err" || code=$?
		is "$code $(wc -l <"$dir/err")" '2 1' "quod $words: wrong usage, one line"
	done
	for words in status history "cancel $one"; do
		code=0
		# shellcheck disable=SC2086 # words
		timeout 60 "$quod" $words --socket "$dir/none" >"$dir/out" 2>"$dir/err" || code=$?
		is "$code" 125 "quod $words: without a daemon"
		has "$(cat "$dir/err")" 'systemctl start quodd.socket' 'it is said how to start one'
	done
}

# While it waits for an answer it has no capability, and a filter.
test_confined() {
	rm -f "$dir/pretend" "$dir/keep" "$dir/said"
	: >"$lies/silence"
	mkfifo "$dir/keep"
	(cd "$lies" && exec "$pretend" "$dir/pretend" hold:silence) <"$dir/keep" >"$dir/said" &
	exec 5>"$dir/keep"
	await_line "$dir/said" listening
	"$quod" history --socket "$dir/pretend" >"$dir/out" 2>"$dir/err" &
	client=$!
	await_line "$dir/said" GET
	status=$(cat "/proc/$client/status")
	for what in 'CapEff:	0000000000000000' 'NoNewPrivs:	1' 'Seccomp:	2'; do
		has "$status" "$what" "while it waits: $what"
	done
	kill "$client"
	exec 5>&-
	wait
}

# --- a real one -----------------------------------------------------------------

# asked_of NAME ARGS...: of the daemon, with exit code 0.
asked_of() {
	asked_name=$1
	shift
	code=0
	timeout -k 5 60 "$quod" "$@" --socket "$socket" >"$dir/out" 2>"$dir/err" || code=$?
	is "$code $(cat "$dir/err")" '0 ' "$asked_name: exit code 0"
}

test_real_status() {
	flight_start
	asked_of 'status' status
	is "$(sed -n '2s/ of.*//p' "$dir/out")" '1 running' 'one run is under way'
	is "$(awk 'NR == 5 { print $1, $2 }' "$dir/out")" "uid-$(id -u) 1" 'it is our own'
	asked_of 'status as JSON' status -o json
	is "$(jq .ready "$dir/out")" true 'it is ready'
	is "$(jq -r .readiness.status "$dir/out")" ready 'in its own words too'
	jq -c 'del(.ready, .readiness)' "$dir/out" >"$dir/tenants"
	mv "$dir/tenants" "$dir/out"
	conforms Tenants 'the rest'
	kill "$client"
	flight_end
	await_dead "$jail"
}

test_real_history() {
	"$quod" run --socket "$socket" -o json -e 'console.log("x"); 6 * 7' >"$dir/record"
	id=$(jq -r .id "$dir/record")
	asked_of 'history' history
	is "$(awk 'NR == 2 { print $1, $3, $4, $5, $6 }' "$dir/out")" \
		"$id ok default duktape uid-$(id -u)" 'the last run comes first'
	asked_of 'history as JSON' history -o json --limit 1
	conforms RunList 'the list'
	asked_of 'one run' history "$id"
	is "$(awk '$1 == "status" { print $2 }' "$dir/out")" ok 'has its status'
	asked_of 'one run as JSON' history "$id" -o json
	holds 'is the record that its client got' cmp "$dir/out" "$dir/record"
	asked_of 'a choice' history --status timeout
	is "$(wc -l <"$dir/out")" 1 'may be empty'
}

test_real_cancel() {
	rm -f "$dir/flight"
	mkfifo "$dir/flight"
	"$quod" run --socket "$socket" -e 'console.log("now"); for (var n = 1; n > 0;);' \
		>"$dir/flight" 2>"$dir/err.run" &
	client=$!
	exec 4<"$dir/flight"
	read -r _ <&4
	id=$("$quod" history --socket "$socket" --status running -o json | jq -r '.runs[0].id')
	asked_of 'cancel' cancel "$id"
	cat <&4 >/dev/null
	exec 4<&-
	code=0
	wait "$client" || code=$?
	is "$code $(cat "$dir/err.run")" '130 quod: cancelled: stopped on request' \
		'whoever waits for the run gets its record'
	code=0
	"$quod" cancel --socket "$socket" "$id" 2>"$dir/err" || code=$?
	is "$code" 1 'a second time it is over'
}

test_status
test_history
test_cancel
test_usage
test_confined
daemon_start || fail 'the daemon starts' "$(cat "$dir/log")"
test_real_status
test_real_history
test_real_cancel
daemon_stop
tap_done
