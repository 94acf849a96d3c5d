#!/bin/sh
# SPDX-License-Identifier: MIT
# One source and many inputs in one job: a run for each, in their order, each in a jail of
# its own, and their places go round.
. "$QUOD_TEST_SOURCE/tests/daemon/tenants_lib.sh"

three='[{"id":"a","input":1},{"id":"b","input":[2e400]},{"id":"c","input":{"x":"\u0000"}}]'

test_array() {
	tenant ann
	daemon_start --config "$etc"
	post_as ann '{"source":"console.log(1); input","cases":'"$three"'}' /v1/run
	is "$http $type" '200 application/json' 'cases'
	conforms Records cases
	is "$(field '[.[].case] | join(" ")')" 'a b c' 'a record for each, in their order'
	is "$(field '[.[].status] | unique | join(" ")')" ok 'each of them well'
	is "$(field '[.[].id] | unique | length')" 3 'runs of their own'
	is "$(field '[.[] | .logs | length] | join(" ")')" '1 1 1' 'with logs of their own'
	is "$(field '.[2].value.x | length')" 1 'the inputs are what was sent'
	post_as ann '{"source":"this.n = (this.n || 0) + input","cases":'"$three"'}' /v1/run
	is "$(field '.[0].value')" 1 'nothing of a case is left to the next'
	post_as ann '{"source":"if (input === 1) throw new Error(\"x\"); if (input.x) for (;;); 1","cases":'"$three"',"limits":{"wall_ms":200}}' /v1/run
	is "$(field '[.[].status] | join(" ")')" 'error ok timeout' 'each has its own end'
	post_as ann '{"source":"1","cases":[{"id":"one","input":null}]}' /v1/run
	is "$(field '[.[].case] | join(" ")')" one 'one case is an array too'
	post_as ann '{"source":"1;","cases":'"$three"'}' /v1/check
	is "$(field '[.[].status] | unique | join(" ")')" ok 'the gate alone'
	post_as ann '{"source":"1","cases":[]}' /v1/run
	refused 422 /cases 'no case'
	post_as ann '{"source":"1","cases":[{"id":"a","input":1},{"id":"b"}]}' /v1/run
	refused 422 /cases/1 'a case without input'
	jq -nc '{source: "input", cases: [range(1000) | {id: "n\(.)", input: .}]}' >"$dir/many"
	post_as ann "@$dir/many" /v1/run
	is "$(field '[.[].value] | add')" 499500 'a thousand'
	jq -nc '{source: "input", cases: [range(1001) | {id: "n\(.)", input: .}]}' >"$dir/many"
	post_as ann "@$dir/many" /v1/run
	refused 422 /cases 'more than a thousand'
	# Refused before a jail is made: a thousand ends within one turn of the loop.
	jq -nc '{source: ("1;" * 40000), cases: [range(1000) | {id: "n\(.)", input: .}]}' >"$dir/many"
	post_as ann "@$dir/many" /v1/run
	is "$(field '[.[].status] | unique | join(" ")') $(field length)" 'rejected 1000' \
		'a thousand that need no jail'
	daemon_stop
	is "$code" 0 'it ends in order'
}

test_stream() {
	daemon_start --config "$etc"
	post_as ann '{"source":"console.log(\"l\" + input); input","cases":[{"id":"a","input":1},{"id":"b","input":2}]}' \
		/v1/run -H 'Accept: application/x-ndjson'
	is "$(jq -r 'if .event == "log" then .text elif .status then .case + " " + .status else empty end' \
		"$dir/out" | tr '\n' ,)" 'l1,a ok,l2,b ok,' 'events of each, then its record'
	daemon_stop
}

# A job of many cases and a run of somebody else, with one place for all.
test_turns() {
	printf '[Daemon]\nRuns=1\n' >"$etc/quodd.conf"
	tenant bob
	daemon_start --config "$etc"
	jq -nc '{source: "for (var t = Date.now() + 50; Date.now() < t;);",
		cases: [range(40) | {id: "n\(.)", input: .}]}' >"$dir/many"
	curl -sSN -m 60 --unix-socket "$socket" -H 'Content-Type: application/json' \
		-H 'Accept: application/x-ndjson' -H 'Authorization: Bearer token-ann' \
		-d "@$dir/many" http://quodd/v1/run >"$dir/stream" 2>&1 &
	client=$!
	await_line "$dir/stream"
	post_as bob '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'a run between the cases of another'
	is "$(jq -r 'select(.status) | .case' "$dir/stream" | grep -c n39)" 0 'which are not over yet'
	kill "$client"
	wait "$client"
	for _ in $(seq 1500); do
		get_as ann /v1/tenants
		[ "$(field '.tenants[0] | .running + .queued')" != 0 ] || break
		sleep 0.02
	done
	is "$(field '.tenants[0] | .running + .queued')" 0 'who goes away takes all cases along'
	started=$(field '.tenants[0].started')
	is "$([ "$started" -lt 40 ] && echo yes)" yes 'those too that had not begun'
	daemon_stop
}

test_rate() {
	rm "$etc/quodd.conf"
	tenant ann 'RateLimitBurst=3\nRateLimitIntervalSec=1h\n'
	daemon_start --config "$etc"
	post_as ann '{"source":"1","cases":[{"id":"a","input":1},{"id":"b","input":1},{"id":"c","input":1},{"id":"d","input":1}]}' /v1/run
	refused 422 /cases 'more cases than the rate ever allows'
	post_as ann '{"source":"1","cases":'"$three"'}' /v1/run
	is "$(field length)" 3 'as many as it allows'
	post_as ann '{"source":"1"}' /v1/run
	refused 429 null 'each case has counted'
	daemon_stop
}

# The tenant goes while his cases run: what has run has run.
test_reload() {
	tenant ann
	daemon_start --config "$etc"
	jq -nc '{source: "for (var t = Date.now() + 50; Date.now() < t;);",
		cases: [range(40) | {id: "n\(.)", input: .}]}' >"$dir/many"
	for accept in application/x-ndjson application/json; do
		curl -sSN -m 60 --unix-socket "$socket" -H 'Content-Type: application/json' \
			-H "Accept: $accept" -H 'Authorization: Bearer token-ann' \
			-d "@$dir/many" -w '%{http_code}' http://quodd/v1/run >"$dir/stream" 2>&1 &
		client=$!
		for _ in $(seq 1500); do
			get_as ann /v1/tenants
			[ "$(field '.tenants[0].started // 0')" = 0 ] || break
			sleep 0.02
		done
		mv "$etc/tenants.d/ann.conf" "$etc/ann"
		reload
		code=0
		wait "$client" || code=$?
		if [ $accept = application/json ]; then
			is "$(tail -c 3 "$dir/stream")" 403 'the tenant is gone: he is told'
		else
			is "$([ $code != 0 ] && echo cut)" cut 'the tenant is gone: his stream is cut'
		fi
		mv "$etc/ann" "$etc/tenants.d/ann.conf"
		reload
	done
	daemon_stop
	is "$code" 0 'it ends in order'
}

test_array
test_stream
test_turns
test_rate
test_reload
tap_done
