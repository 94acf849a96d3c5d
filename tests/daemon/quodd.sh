#!/bin/sh
# SPDX-License-Identifier: MIT
# quodd as a client sees it: runs, checks, streams, refusals, each reply as the description
# of the interface has it; and what its server is confined to.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
. "$QUOD_TEST_SOURCE/tests/engines.sh"

test_plain() {
	get /healthz
	is "$http" 200 'alive'
	conforms Health /healthz
	get /readyz
	is "$http" 200 'ready'
	conforms Readiness /readyz
	get /v1/policies
	conforms Policies /v1/policies
	is "$(field '[.policies[].name] | join(" ")')" 'default verify open' 'the built-in policies'
	get /v1/openapi.json
	is "$type" application/json 'the description is JSON'
	holds 'it is the file of the tree' cmp "$dir/out" "$api"
}

# ran STATUS NAME
ran() {
	is "$http $type $(field .status)" "200 application/json $1" "$2"
	conforms Record "$2"
}

test_runs() {
	post '{"source":"console.log(\"a\"); console.warn(\"b\"); 6*7"}' /v1/run
	ran ok 'a run'
	record_has '.value == 42 and ([.logs[].text] == ["a","b"])' 'its value and its lines'
	record_has '.tenant == "uid-'"$(id -u)"'" and .policy == "default"' 'tenant and policy'
	post '{"source":"true","policy":"verify"}' /v1/run
	ran ok 'a verdict'
	record_has .passed 'that is passed'
	post '{"source":"throw new TypeError(\"x\")","filename":"f.js"}' /v1/run
	ran error 'an exception'
	record_has '.error.name == "TypeError" and (.error.stack | contains("f.js"))' 'with its place'
	post '{"source":"eval(1)"}' /v1/run
	ran rejected 'what the gate refuses'
	record_has 'all(.gate.findings[]; .why | length > 0) and .gate.modern == null' \
		'and why'
	post '{"source":"eval(\"1+1\")","policy":"open"}' /v1/run
	ran ok 'and what another policy does not'
	post '{"source":"for(;;);","limits":{"wall_ms":300}}' /v1/run
	ran timeout 'a loop without end'
	record_has '.kill.by == "supervisor" and .usage.wall_ms >= 300' 'killed after its time'
	post '{"source":"for(;;);","limits":{"cpu_ms":200}}' /v1/run
	ran cpu_limit 'CPU time that is used up'
	post '{"source":"var a=[]; for(;;) a.push(new Array(999).join(\"x\")+a.length)","limits":{"memory_bytes":4194304}}' /v1/run
	ran memory_limit 'memory that is used up'
	record_has '.limits.memory_bytes == 4194304' 'by the lowered limit'
	post '{"source":"for(;;) console.log(1)"}' /v1/run
	ran output_limit 'a log without end'
	post '{"source":"[input.a, input.b]","input":{"a":1e20,"b":"\u0000"}}' /v1/run
	ran ok 'an input'
	post '{"source":"Math.random()+\",\"+Date.now()","seed":7,"now_ms":5}' /v1/run
	first=$(field .value)
	post '{"source":"Math.random()+\",\"+Date.now()","seed":7,"now_ms":5}' /v1/run
	is "$(field .value)" "$first" 'seed and time make it repeatable'
	{
		printf '{"source":"'
		head -c 70000 /dev/zero | tr '\0' ' '
		printf '"}'
	} >"$dir/large"
	post "@$dir/large" /v1/run
	ran rejected 'a source that is too large'
}

test_engines() {
	post '{"source":"var x = 1; x","engine":"duktape"}' /v1/run
	ran ok 'a run that names the engine'
	record_has '.engine == "duktape"' 'runs there'
	engine_is_tested quickjs || return 0
	post '{"source":"\nconst f = async () => 1; f()"}' /v1/run
	ran ok 'what needs the second engine'
	record_has '.engine == "quickjs" and .gate.modern.line == 2 and
		(.gate.modern.text | length > 0)' 'gets it, and is told why'
	post '{"source":"let x = 1; x","engine":"duktape"}' /v1/check
	ran error 'and it does not run on the other'
	post '{"source":"1","engine":"quickjs"}' /v1/run
	ran ok 'what does not need it'
	record_has '.engine == "quickjs" and .gate.modern == null' 'may ask for it'
}

test_checks() {
	post '{"source":"console.log(1)"}' /v1/check
	ran ok 'a check'
	record_has '.logs == [] and .gate.decision == "allowed"' 'runs nothing'
	post '{"source":"var x ="}' /v1/check
	ran error 'a check of what does not compile'
	post '{"source":"require(\"fs\")"}' /v1/check
	ran rejected 'a check of what is refused'
}

test_streams() {
	post '{"source":"console.log(1); setTimeout(function () { console.log(2) }, 20); 3"}' \
		/v1/run -N -H 'Accept: application/x-ndjson'
	is "$http $type" '200 application/x-ndjson' 'a stream'
	conforms Event 'a stream'
	is "$(jq -r '.event // .status' "$dir/out" | tr '\n' ' ')" \
		'finding log value log ok ' 'its events in order, the record last'
	post '{"source":"x y"}' /v1/check -H 'Accept: application/x-ndjson'
	conforms Event 'a stream of a check'
	# What was logged is there while the script still runs.
	mkfifo "$dir/fifo"
	curl -sSN -m 60 --unix-socket "$socket" -H 'Accept: application/x-ndjson' \
		-H 'Content-Type: application/json' \
		-d '{"source":"console.log(\"now\"); for (var n = 1; n > 0;);"}' \
		http://quodd/v1/run >"$dir/fifo" &
	client=$!
	exec 3<"$dir/fifo"
	read -r line <&3
	is "$(printf '%s' "$line" | jq -r .text)" now 'a line comes while the script runs'
	exec 3<&-
	kill "$client" 2>/dev/null
	wait "$client"
}

# bad STATUS WHERE JSON
bad() {
	post "$3" /v1/run
	refused "$1" "$2" "$3"
}

test_refusals() {
	bad 400 null '{"source":'
	bad 400 null ''
	bad 422 null '[]'
	bad 422 /source '{}'
	bad 422 /policy '{"source":"","policy":"x"}'
	bad 422 /limits/wall_ms '{"source":"","limits":{"wall_ms":99999}}'
	bad 422 /mode '{"source":"","mode":"off"}'
	get /v1/nothing
	refused 404 null 'no such path'
	get /v1/run
	refused 405 null 'no such method'
	has "$(cat "$dir/headers")" 'Allow: POST' 'and which there is'
	request -H 'Content-Type: text/plain' -d x http://quodd/v1/run
	refused 415 null 'no JSON'
	head -c 5000000 /dev/zero | tr '\0' ' ' >"$dir/large"
	post "@$dir/large" /v1/run
	refused 413 null 'a body that says that it is too large'
	request -H 'Content-Type: application/json' -H 'Transfer-Encoding: chunked' \
		--data-binary "@$dir/large" http://quodd/v1/run
	refused 413 null 'a body that does not say it'
}

# What /proc says of the server. Its root cannot be looked into by others than root.
test_confinement() {
	# What only the server needs is not even mapped where the privileges are.
	is "$(grep -Eco 'libmicrohttpd|libsqlite3|libgnutls' "/proc/$daemon/maps")" 0 \
		'the monitor has neither HTTP nor SQL in it'
	status=$(cat "/proc/$server/status")
	for line in 'CapEff:	0000000000000000' 'CapPrm:	0000000000000000' \
		'CapInh:	0000000000000000' 'CapAmb:	0000000000000000' \
		'CapBnd:	0000000000000000' \
		'NoNewPrivs:	1' 'Seccomp:	2' 'Seccomp_filters:	'; do
		has "$status" "$line" "the server: $line"
	done
	if [ "$QUOD_TEST_MODE" = caller ] && [ "$(id -u)" = 0 ]; then
		is "$(awk '/^Uid:/ { print $2 != 0 && $2 == $3 && $3 == $4 && $4 == $5 }' \
			"/proc/$server/status")" 1 'the server is another user, for good'
		is "$(awk '/^Groups:/ { print NF }' "/proc/$server/status")" 1 'it is in no group'
	fi
	if [ "$(id -u)" = 0 ]; then
		is "$(ls -A "/proc/$server/root")" history 'its root has only its history'
		is "$(awk '{ print $5 }' "/proc/$server/mountinfo" | sort | tr '\n' ' ')" \
			'/ / /history ' 'and it has no mount beside'
		is "$(awk '$5 == "/" { print substr($6, 1, 3) }' \
			"/proc/$server/mountinfo" | sort -u)" 'ro,' 'it can make nothing else there'
		has "$(awk '$5 == "/history" { print $6 }' "/proc/$server/mountinfo")" \
			'nosuid,nodev,noexec' 'nor start anything there'
		for ns in mnt net ipc uts; do
			is "$([ "$(readlink "/proc/$server/ns/$ns")" != \
				"$(readlink "/proc/$daemon/ns/$ns")" ] && echo own)" own \
				"its $ns namespace is its own"
		done
		is "$(find "/proc/$server/fd" -type l -exec readlink {} + |
			grep '^/[^d]' | sort -u | tr '\n' ' ')" \
			"/history /history/journal /history/runs.db /history/runs.db-wal $dir/log " \
			'it has nothing open but its history and its log'
	else
		holds 'its memory is nobody else'"'"'s' \
			sh -c "! cat /proc/$server/environ >/dev/null 2>&1"
	fi
}

# as_nobody PATH: the status of his reply.
as_nobody() {
	setpriv --reuid=nobody --regid=nogroup --clear-groups curl -sS -m 60 \
		--unix-socket "$socket" -o /dev/null -w '%{http_code}' "http://quodd$1" 2>&1
}

# Only root can be somebody else; and only where an administrator has opened the socket to
# others do they come so far.
test_strangers() {
	if [ "$QUOD_TEST_MODE" != caller ] || [ "$(id -u)" != 0 ]; then
		return
	fi
	chmod 711 "$dir"
	has "$(as_nobody /healthz)" '000' 'another user cannot connect'
	chmod 666 "$socket"
	is "$(as_nobody /healthz)" 200 'where he can he is told that it is alive'
	is "$(as_nobody /v1/policies)" 403 'and is not served'
	chmod 600 "$socket"
}

pool=4
daemon_start || fail 'the daemon starts' "$(cat "$dir/log")"
test_plain
test_runs
test_engines
test_checks
test_streams
test_refusals
test_confinement
is "$(stat -c %a "$socket")" 600 'only its owner may connect'
test_strangers
daemon_stop
is "$code" 0 'SIGTERM ends it in order'
holds 'its socket is gone' test ! -e "$socket"
tap_done
