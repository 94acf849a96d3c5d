#!/bin/sh
# SPDX-License-Identifier: MIT
# quod before a daemon that lies, or is none: whatever it says, quod ends with 125, with one
# line that says why, and shows nothing that a terminal would obey.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
. "$QUOD_TEST_SOURCE/tests/daemon/pretend.sh"

# lie WANTED NAME ANSWER...: 125, and one line with WANTED in it.
lie() {
	lie_wanted=$1
	lie_name=$2
	shift 2
	with "$@"
	is "$code $(wc -l <"$dir/err")" '125 1' "$lie_name: 125 and one line"
	has "$err" "quod: *$lie_wanted" "$lie_name: which says why"
	is "$(LC_ALL=C tr -d '\n\040-\176' <"$dir/err" | wc -c)" 0 "$lie_name: in plain characters"
}

# What an honest one says.
honest() {
	daemon_start || fail 'the daemon starts' "$(cat "$dir/log")"
	get /v1/policies
	answer policies '200 OK' application/json <"$dir/out"
	post '{"source":"console.log(1); 2","filename":"-e"}' /v1/run \
		-H 'Accept: application/x-ndjson'
	cp "$dir/out" "$lies/events"
	answer run '200 OK' application/x-ndjson <"$lies/events"
	tail -n 1 "$lies/events" >"$lies/record"
	daemon_stop
}

# changed NAME JQ-FILTER: the run, with another record.
changed() {
	{
		sed '$d' "$lies/events"
		jq -c "$2" "$lies/record"
	} | answer "$1" '200 OK' application/x-ndjson
}

test_honest() {
	words='run -e x'
	with policies run
	is "$code $(tr '\n' ' ' <"$dir/out")$err" '0 1 2 ' 'an honest answer is taken'
	with slow:policies slow:run
	is "$code $(tr '\n' ' ' <"$dir/out")$err" '0 1 2 ' 'also byte by byte'
	with hold:policies hold:run
	is "$code $(tr '\n' ' ' <"$dir/out")$err" '0 1 2 ' 'also of one that does not close'
	{
		printf 'HTTP/1.1 200 OK\r\n\r\n'
		cat "$lies/events"
	} >"$lies/until"
	with policies until
	is "$code $(tr '\n' ' ' <"$dir/out")$err" '0 1 2 ' 'and of one that only closes'
}

test_no_http() {
	raw empty ''
	raw garbage '\001\002\033[31m\n'
	raw banner 'SSH-2.0-OpenSSH_9.2\r\n'
	raw head 'HTTP/1.1 200 OK\r\nX: '
	raw long 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n'
	raw short 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx'
	raw both 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'
	raw huge 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n'
	raw chunked 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'
	raw ok 'HTTP/1.1 200 OK\r\n'
	raw begun 'HTTP/1.1 200 OK\r\n\r\n'
	raw header 'X: y\r\n'
	raw letters 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
	head -c 1000000 /dev/zero | tr '\0' x >"$lies/letters"
	words='run -e x'
	for first in '' 'policies '; do
		# shellcheck disable=SC2086 # an answer or none
		{
			lie 'without an answer' "${first}nothing" ${first}empty
			lie 'no answer of HTTP' "${first}garbage" ${first}garbage
			lie 'no answer of HTTP' "${first}another protocol" ${first}banner
			lie 'in the middle' "${first}a head without end" ${first}head
			lie 'its length is no number' "${first}a length that is none" ${first}long
			lie 'in the middle' "${first}fewer bytes than announced" ${first}short
			lie 'a length and comes in chunks' "${first}two lengths" ${first}both
			lie 'size of a chunk' "${first}a huge chunk" ${first}huge
			lie 'in the middle' "${first}an end within a chunk" ${first}chunked
			lie 'headers do not end' "${first}endless headers" ${first}ok+header
			lie 'lines does not end' "${first}an endless line" ${first}ok+letters
			lie 'more than can be meant' "${first}an endless body" ${first}begun+letters
		}
	done
}

test_no_policies() {
	words='run -e x'
	for body in '' 'x' '{}' '[]' '{"policies":1}' '{"policies":[1]}' '{"policies":[{}]}' \
		'{"policies":[],"policies":[]}' '{"policies":[{"name":"default"}]}'; do
		printf '%s' "$body" | answer none '200 OK' application/json
		lie 'does not know: is it of another version' "policies: $body" none
	done
	tail -n +5 "$lies/policies" | jq -c '.policies[0].limits.wall_ms = 99999999' |
		answer none '200 OK' application/json
	lie 'does not know: is it of another version' 'policies: a limit that no policy has' none
	tail -n +5 "$lies/policies" | jq -c '.policies[0].limits.wall_ms = 0' |
		answer none '200 OK' application/json
	lie 'ended without an answer' 'policies: a limit below the least' none
	printf '{"policies":[]}' | answer none '200 OK' application/json
	with none
	is "$code" 125 'no policies at all'
	has "$(cat "$dir/err")" 'you are no tenant of' 'it is no tenant, then'
}

# refuses CODE WANTED STATUS-LINE BODY
refuses() {
	printf '%s' "$4" | answer refusal "$3" application/problem+json
	with policies refusal
	is "$code $(wc -l <"$dir/err")" "$1 1" "$3: exit code $1 and one line"
	has "$err" "$2" "$3: says $2"
	is "$(LC_ALL=C tr -d '\n\040-\176' <"$dir/err" | wc -c)" 0 "$3: in plain characters"
}

test_refusals() {
	words='run -e x'
	refuses 125 '(403): not you' '403 Forbidden' '{"detail":"not you","where":null}'
	refuses 125 '(401): ' '401 Unauthorized' '{"detail":"who are you?"}'
	refuses 2 '(422): /source: no' '422 X' '{"detail":"no","where":"/source"}'
	refuses 2 '(413): ' '413 X' '{"detail":"too large"}'
	refuses 125 'does not say why' '500 X' 'x'
	refuses 125 'does not say why' '500 X' '{"detail":5}'
	refuses 125 '\x1b[31m' '500 X' '{"detail":"\u001b[31m\nquod: x"}'
	raw busy 'HTTP/1.1 503 X\r\nRetry-After: 17\r\nContent-Length: 20\r\n\r\n{"detail":"so many"}'
	lie 'so many (try again in 17 s)' 'too many runs' policies busy
	raw busy 'HTTP/1.1 429 X\r\nRetry-After: x\r\nContent-Length: 20\r\n\r\n{"detail":"so many"}'
	lie 'so many' 'a Retry-After that is none' policies busy
}

test_no_record() {
	for words in 'run -e x' 'run -o json -e x' 'run -o ndjson -e x' 'check -e x'; do
		raw begun 'HTTP/1.1 200 OK\r\n\r\n'
		lie 'no record' "$words: no event" policies begun
		raw line 'HTTP/1.1 200 OK\r\n\r\nx\n'
		lie 'no event' "$words: a line that is no JSON" policies line
		raw line 'HTTP/1.1 200 OK\r\n\r\n"\377"\n'
		lie 'no event' "$words: a line that is not UTF-8" policies line
		raw line 'HTTP/1.1 200 OK\r\n\r\n\n'
		lie 'no event' "$words: an empty line" policies line
		printf '{"event":"log","level":"loud","text":""}\n' >"$lies/event"
		lie 'a line of the log that is none' "$words: no level" policies begun+event
		printf '{"event":"log","level":"log"}\n' >"$lies/event"
		lie 'a line of the log that is none' "$words: no text" policies begun+event
		printf '{"event":"log","level":"log","text":"x"}\n' >"$lies/event"
		lie 'more log' "$words: log without end" policies begun+event
		printf '{"event":"finding"}\n' >"$lies/event"
		lie 'more events' "$words: events without end" policies begun+event
		cat "$lies/record" "$lies/record" | answer two '200 OK' application/x-ndjson
		lie 'more after' "$words: two records" policies two
		tr -d '\n' <"$lies/record" | answer open '200 OK' application/x-ndjson
		lie 'no record' "$words: a record without its line feed" policies open
		for change in 'del(.status)' '.status = "fine"' '.id = "1"' '.gate = null' \
			'.limits.wall_ms = -1' '.value_text = 1' 'del(.kill)' '.error = {}' \
			'.gate.findings = [1]' '.kill = {"by":"me"}'; do
			changed bad "$change"
			lie 'a record that this quod does not know' "$words: $change" policies bad
		done
	done
}

# What it may choose is what is shown, and that is shown as what a guest wrote.
test_shown() {
	words='run -e x'
	changed bad '.status = "error" | .value_text = null | .error = {"name":"E\u001b[31m",
		"message":"a\nquod: b","line":1,"column":1,"stack":null,"phase":"run"}'
	with policies bad
	is "$code" 1 'what it says counts'
	is "$(LC_ALL=C tr -d '\n\040-\176' <"$dir/err" | wc -c) $(grep -c ^quod: "$dir/err")" '0 1' \
		'in one line of quod, and in plain characters'
	changed bad '.status = "crashed" | .kill = {"by":"kernel","reason":"x","signal":"SIGSEGV",
		"syscall":null}'
	with policies bad
	is "$code" 139 'a signal is a signal'
	changed bad '.status = "crashed" | .kill = {"by":"kernel","reason":"x","signal":"SIGNO",
		"syscall":null}'
	with policies bad
	is "$code" 128 'one that is none is none'
}

honest
test_honest
test_no_http
test_no_policies
test_refusals
test_no_record
test_shown
tap_done
