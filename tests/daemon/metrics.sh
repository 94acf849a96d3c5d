#!/bin/sh
# SPDX-License-Identifier: MIT
# What an operator's Prometheus gets: in its format, and every number moves when it should and
# only then. And what /readyz says is missing.
. "$QUOD_TEST_SOURCE/tests/daemon/tenants_lib.sh"
checker=$QUOD_TEST_SOURCE/tests/daemon/exposition.awk
tenant=uid-$(id -u)

scrape() {
	get /metrics
	cp "$dir/out" "$dir/metrics"
}

# metric SERIES: its value; nothing where it is not there.
metric() {
	awk -v series="$1" 'substr($0, 1, length(series) + 1) == series " " { print $NF }' \
		"$dir/metrics"
}

# counts SERIES WANTED NAME
counts() {
	is "$(metric "$1")" "$2" "$3"
}

ran() {
	counts "quod_runs_total{tenant=\"$tenant\",policy=\"$1\",engine=\"$2\",status=\"$3\"}" \
		"$4" "a run: $1 $2 $3"
}

# The judge of the format has to see what is wrong.
test_checker() {
	wrongs=0
	while IFS= read -r text; do
		printf '%b' "$text" >"$dir/wrong"
		[ -n "$(awk -f "$checker" "$dir/wrong")" ] || fail 'the checker' "$text"
		wrongs=$((wrongs + 1))
	done <<-'END'

		a_total 1\n
		# HELP a b\n# TYPE a counter\na 1\n
		# HELP a b\n# TYPE a gauge\na 1\na 1\n
		# HELP a b\n# TYPE a gauge\nb 1\n
		# HELP a b\n# TYPE a gauge\na one\n
		# HELP a b\n# TYPE a gauge\na{b=1} 1\n
		# HELP a b\n# TYPE a gauge\na{b="\\x"} 1\n
		# HELP a b\n# TYPE a gauge\na{b="1",b="2"} 1\n
		# HELP a b\n# TYPE a gauge\na{b="1} 1\n
		# HELP a b\n# TYPE a wrong\na 1\n
		# HELP a b\na 1\n
		# HELP a b\n# TYPE a gauge\n
		# HELP a b\n# TYPE a gauge\na 1\n# HELP a b\n# TYPE a gauge\na{c="d"} 1\n
		# HELP a b\n# TYPE a histogram\na_bucket{le="1"} 1\na_sum 1\na_count 1\n
		# HELP a b\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n
		# HELP a b\n# TYPE a histogram\na_bucket{le="2"} 1\na_bucket{le="1"} 1\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n
		# HELP a b\n# TYPE a histogram\na_bucket{le="+Inf"} 1\na_sum 1\na_count 2\n
		# HELP a b\n# TYPE a histogram\na_bucket{le="+Inf"} 1\na_count 1\n
	END
	is "$wrongs" 19 'the checker of the format finds what is wrong with it'
}

test_format() {
	is "$http $type" '200 text/plain; version=0.0.4; charset=utf-8' 'there are metrics'
	is "$(awk -f "$checker" "$dir/metrics")" '' 'in the right format'
	is "$(tail -c 1 "$dir/metrics" | od -An -tx1)" ' 0a' 'with an end of line at the end'
	for name in $(sed -n 's/^# HELP \([^ ]*\) .*/\1/p' "$dir/metrics"); do
		grep -q "^\.It Sy $name\( \|\$\)" "$QUOD_TEST_SOURCE/man/quodd.8" ||
			fail 'the manual' "it does not have $name"
	done
	is "$(sed -n 's/^\.It Sy \(quod\|process\)_\([a-z_]*\).*/\1_\2/p' "$QUOD_TEST_SOURCE/man/quodd.8" | sort)" \
		"$(sed -n 's/^# HELP \([^ ]*\) .*/\1/p' "$dir/metrics" | sort)" \
		'the manual lists them, and no other'
}

test_start() {
	scrape
	test_format
	is "$(grep -c '^quod_runs_total{' "$dir/metrics")" 0 \
		'the trials of the start are not counted as runs'
	counts quod_ready 1 'it is ready'
	counts quod_runs_live 0 'nothing runs'
	counts quod_total_seconds_count 0 'nothing has run'
	is "$(grep -c '^quod_run_ends_total{.*} 0$' "$dir/metrics")" 11 'in none of the ways there are'
	counts quod_history_writable 1 'the history can be written'
	is "$(metric quod_state_bytes)" "$(stat -f -c '%b %S' "$dir/state" | awk '{ printf "%.0f", $1 * $2 }')" \
		'the file system of the history is as large as it is'
	holds 'with some room' test "$(metric quod_state_free_bytes)" -gt 0
	holds 'the server has a heap' test "$(metric quod_heap_bytes)" -gt 100000
	holds 'the start is not long ago' awk -v "start=$(metric process_start_time_seconds)" \
		-v "now=$(date +%s)" 'BEGIN { exit !(now - start < 600 && now - start > -2) }'
	has "$(grep '^quod_build_info' "$dir/metrics")" "version=\"$("$quodd" --version | cut -d ' ' -f 2)\"" \
		'the version'
}

test_runs() {
	post '{"source":"1"}' /v1/run
	post '{"source":"2"}' /v1/run
	post '{"source":"throw 1"}' /v1/run
	post '{"source":"eval(1)"}' /v1/run
	post '{"source":"true","policy":"verify"}' /v1/run
	post '{"source":"for(;;);","limits":{"wall_ms":200}}' /v1/run
	post '{"source":"1"}' /v1/check
	scrape
	ran default duktape ok 3
	ran default duktape error 1
	ran default none rejected 1
	ran verify duktape ok 1
	ran default duktape timeout 1
	for status in ok:4 error:1 rejected:1 timeout:1 violation:0 internal_error:0; do
		counts "quod_run_ends_total{status=\"${status%:*}\"}" "${status#*:}" "by status alone: $status"
	done
	holds 'six of them took memory' test "$(metric quod_run_memory_bytes_total)" -gt 1000000
	counts 'quod_gate_decisions_total{decision="allowed"}' 6 'the gate let six through'
	counts 'quod_gate_decisions_total{decision="rejected"}' 1 'and one not'
	for name in queue setup total; do
		counts "quod_${name}_seconds_count" 7 "each has its time: $name"
	done
	counts quod_run_seconds_count 6 'and its run, if it had one'
	counts 'quod_run_seconds_bucket{le="0.1"}' 5 'one took longer than a tenth of a second'
	holds 'it is in the sum' awk -v "sum=$(metric quod_run_seconds_sum)" 'BEGIN { exit !(sum >= 0.2) }'
	is "$(awk -f "$checker" "$dir/metrics")" '' 'the format is right'
}

# refuses STATUS REASON: what was asked before this was refused with it, once.
refuses() {
	is "$http" "$1" "refused with $1"
	scrape
	counts "quod_refusals_total{status=\"$1\",reason=\"$2\"}" 1 "and counted: $2"
}

test_refusals() {
	get /nothing
	refuses 404 no_resource
	get /v1/run
	refuses 405 method
	request -d x http://quodd/v1/run
	refuses 415 content_type
	post '{' /v1/run
	refuses 400 malformed
	post '{"source":"1","policy":"none"}' /v1/run
	refuses 422 impossible
	head -c 5000000 /dev/zero | tr '\0' ' ' >"$dir/large"
	request -H 'Content-Type: application/json' --data-binary "@$dir/large" http://quodd/v1/run
	refuses 413 too_large
	total=$(awk '/^quod_refusals_total/ { n += $NF } END { print n }' "$dir/metrics")
	is "$total" 6 'each is counted once'
}

# await SERIES TEST NUMBER: until that is so.
await() {
	for _ in $(seq 1000); do
		scrape
		test "$(metric "$1")" "$2" "$3" && return 0
		sleep 0.02
	done
	return 1
}

test_live() {
	scrape
	fds=$(metric process_open_fds)
	if ls "/proc/$server/fd" >/dev/null 2>&1; then
		is "$fds" "$(($(find "/proc/$server/fd" -mindepth 1 | wc -l) + 1))" \
			'the descriptors are those the kernel knows, and the connection'
	fi
	flight_start '{"source":"console.log(1); for (;;);","engine":"duktape"}'
	scrape
	counts quod_runs_live 1 'a run is under way'
	counts quod_connections 2 'on another connection'
	is "$(metric process_open_fds)" $((fds + 5)) 'with four descriptors and its connection'
	curl -sS -m 60 --unix-socket "$socket" -H 'Content-Type: application/json' \
		-d '{"source":"1"}' http://quodd/v1/run >"$dir/waited" 2>&1 &
	waits=$!
	holds 'another waits for its turn' await quod_runs_queued -eq 1
	counts "quod_tenant_runs_live{tenant=\"$tenant\"}" 1 'of the same tenant'
	counts "quod_tenant_runs_queued{tenant=\"$tenant\"}" 1 'both'
	kill "$client"
	flight_end
	await_dead "$jail"
	wait "$waits"
	is "$(jq -r .status "$dir/waited")" ok 'which comes'
	holds 'nothing is under way any more' await quod_runs_live -eq 0
	ran default duktape cancelled 1
	counts process_open_fds "$fds" 'and has left no descriptor'
	taken=$(metric quod_connections_total)
	scrape
	counts quod_connections_total $((taken + 1)) 'each connection is counted'
}

# What the monitor knows is a second old.
test_jails() {
	holds 'when nothing runs there is no jail' await quod_jails_live -eq 0
	flight_start
	holds 'a run has one' await quod_jails_live -eq 1
	kill "$client"
	flight_end
	holds 'for its time' await quod_jails_live -eq 0
}

# A cgroup that is not to be removed, here because another is in it, as after a run whose
# processes hang in the kernel. Where we may make none there is nothing left.
test_leaves() {
	flight_start
	share=
	for mount in /sys/fs/cgroup /sys/fs/cgroup/unified; do
		own=$mount$(sed -n 's|^0::\(.*\)/01[0-9A-Z]*\.run$|\1|p' "/proc/$jail/cgroup")
		[ "$own" = "$mount" ] || [ ! -w "$own" ] || share=$own
	done
	kill "$client"
	flight_end
	if [ -z "$share" ]; then
		scrape
		counts quod_cgroup_leaves_left 0 'without cgroups none is left'
		return
	fi
	leaf=$share/01METRICS.run
	mkdir -p "$leaf/below"
	post '{"source":"1"}' /v1/run
	holds 'a leaf that cannot be removed is told' await quod_cgroup_leaves_left -eq 1
	has "$(cat "$dir/log")" 'the kernel does not give back: 1' 'the log has it too'
	rmdir "$leaf/below"
	holds 'as soon as it can be, it is' await quod_cgroup_leaves_left -eq 0
	holds 'and is gone' test ! -d "$leaf"
}

# Labels are names of the configuration; readiness tells nobody of what is not his.
test_tenants() {
	echo '[Run]' >"$etc/policies/own.policy"
	tenant guest 'RunsMax=1\nQueueMax=0\nPolicies=default\n'
	tenant boss 'Operator=yes\nPolicies=default own\n'
	tenant quick 'RateLimitBurst=1\nRateLimitIntervalSec=1h\n'
	daemon_start --config "$etc"
	hold guest
	post_as guest '{"source":"1"}' /v1/run
	is "$http" 429 'a queue that is full'
	let_go
	post_as quick '{"source":"1"}' /v1/run
	post_as quick '{"source":"1"}' /v1/run
	is "$http" 429 'a rate that is used up'
	post_as boss '{"source":"1","policy":"own"}' /v1/run
	post_as nobody '{"source":"1"}' /v1/run
	is "$http" 401 'a token that is none'
	get_as guest /metrics
	is "$http" 403 'metrics are not for every tenant'
	get_as boss /metrics
	cp "$dir/out" "$dir/metrics"
	is "$(awk -f "$checker" "$dir/metrics")" '' 'the format is right'
	counts 'quod_refusals_total{status="429",reason="queue"}' 1 'a queue is counted'
	counts 'quod_refusals_total{status="429",reason="rate"}' 1 'and a rate'
	counts 'quod_refusals_total{status="401",reason="token"}' 1 'and a token'
	for name in guest:1 quick:1 boss:0; do
		counts "quod_tenant_refusals_total{tenant=\"${name%:*}\"}" "${name#*:}" "and by tenant: ${name%:*}"
	done
	counts 'quod_runs_total{tenant="boss",policy="own",engine="duktape",status="ok"}' 1 \
		'runs go by tenant and policy'
	counts 'quod_runs_total{tenant="quick",policy="default",engine="duktape",status="ok"}' 1 \
		'each'
	get_as boss /v1/tenants
	is "$(field '[.tenants[] | "\(.name) \(.started)"] | sort | join(", ")')" \
		'boss 1, guest 1, quick 1' 'the trials are on nobody'"'"'s account'
	get_as boss /v1/runs
	is "$(field '[.runs[].tenant | select(. == "boss" or . == "guest" or . == "quick")] | length')" \
		3 'and not in the history'
	daemon_stop
	QUOD_JS=$QUOD_TEST_BUILD/tests/escape/inmate daemon_start --config "$etc"
	get_as boss /readyz
	is "$(field '[.missing[].what] | join(",")')" \
		'policy default,policy verify,policy own' 'an operator is told all'
	get_as guest /readyz
	is "$(field '[.missing[].what] | join(",")')" 'policy default,another policy' \
		'a tenant what is his'
	get /readyz
	conforms Readiness 'to whom nothing is told'
	daemon_stop
}

test_strangers() {
	if [ "$QUOD_TEST_MODE" != caller ] || [ "$(id -u)" != 0 ]; then
		return
	fi
	chmod 711 "$dir"
	chmod 666 "$socket"
	is "$(setpriv --reuid 65534 --regid 65534 --clear-groups curl -s -m 60 \
		--unix-socket "$socket" -o /dev/null -w '%{http_code}' http://quodd/metrics)" 403 \
		'metrics are for operators'
	scrape
	counts 'quod_refusals_total{status="403",reason="forbidden"}' 1 'who is counted too'
}

# missing: what /readyz names, sorted.
missing() {
	get /readyz
	printf '%s ' "$http"
	field '[.missing[].what] | sort | join(",")'
}

test_ready() {
	is "$(missing)" '200 ' 'nothing is missing'
	get /readyz
	conforms Readiness 'ready'
	is "$type $(field .status)" 'application/json ready' 'and it says so'
	scrape
	counts quod_ready 1 'to Prometheus as well'
}

# A program that is no quod-js is found out before anybody has asked for a run.
test_wrong_interpreter() {
	QUOD_JS=$QUOD_TEST_BUILD/tests/escape/inmate daemon_start
	is "$(missing)" '503 policy default,policy open,policy verify' \
		'with a wrong interpreter no policy can be used'
	get /readyz
	conforms Readiness 'not ready'
	is "$(field '[.status, all(.missing[]; (.why | contains("interpreter")) and (.mend | contains("quod doctor")))] | join(" ")')" \
		'not ready true' 'it says why and what to do'
	has "$(cat "$dir/log")" 'policy verify cannot be used: a run of ours ended as internal_error' 'so does the log'
	scrape
	counts quod_ready 0 'and Prometheus'
	is "$(grep -c '^quod_runs_total{' "$dir/metrics")" 0 'without a run of a tenant'
	get /healthz
	is "$http" 200 'alive it is'
	daemon_stop
	is "$code" 0 'and ends in order'
}

# talker_start: somebody who stays connected; what he is told is in $dir/told.
talker_start() {
	mkfifo "$dir/asks"
	"$talk" "$socket" keep <"$dir/asks" >"$dir/told" &
	talker=$!
	exec 6>"$dir/asks"
	ask /healthz
	for _ in $(seq 500); do
		! grep -q '"ok"' "$dir/told" || break
		sleep 0.02
	done
}

ask() {
	printf 'GET %s HTTP/1.1\r\nHost: x\r\n\r\n' "$1" >&6
}

talker_end() {
	exec 6>&-
	wait "$talker"
	rm -f "$dir/asks"
}

# become STATUS: until /readyz says so.
become() {
	for _ in $(seq 1000); do
		get /readyz
		[ "$http" != "$1" ] || return 0
		sleep 0.02
	done
	return 1
}

# What goes and comes back while it runs: the monitor's descriptors.
test_doubt() {
	daemon_start
	is "$(missing)" '200 ' 'with the right one all can be used'
	prlimit --pid "$daemon" --nofile=5:
	post '{"source":"1"}' /v1/run
	is "$(field .status)" internal_error 'a monitor without descriptors makes no jail'
	holds 'after that it is not ready' become 503
	has "$(field '.missing[0].why')" 'open files' 'and says why'
	prlimit --pid "$daemon" --nofile=1000:
	holds 'but by itself again when it can be' become 200
	has "$(cat "$dir/log")" 'policy default can be used again' 'as the log says'
	daemon_stop
}

# Whoever has a run in each of his places does not keep a doubt from being cleared up.
test_doubt_and_busy() {
	mkdir -p "$dir/busy/tenants.d"
	for name in ann bob; do
		printf '[Tenant]\nRunsMax=1\nQueueMaxSec=2m\nTokenSHA256=%s\n' "$(printf %s "$name" | sha256sum | cut -d' ' -f1)" \
			>"$dir/busy/tenants.d/$name.conf"
	done
	daemon_start --config "$dir/busy"
	anns=
	for number in $(seq 16); do
		curl -sSN -m 100 --unix-socket "$socket" -H 'Accept: application/x-ndjson' \
			-H 'Content-Type: application/json' -H 'Authorization: Bearer ann' \
			-d '{"source":"console.log(1); setTimeout(function () {}, 1e6)"}' \
			http://quodd/v1/run >"$dir/ann$number" 2>/dev/null &
		anns="$anns $!"
	done
	for _ in $(seq 500); do
		get /v1/tenants
		[ "$(field '.tenants[] | select(.name == "ann") | [.running, .queued] | join(" ")')" != '1 15' ] || break
		sleep 0.02
	done
	prlimit --pid "$daemon" --nofile=5:
	post '{"source":"1"}' /v1/run -H 'Authorization: Bearer bob'
	is "$(field .status)" internal_error 'a run that fails while another tenant is busy'
	holds 'after that it is not ready' become 503
	prlimit --pid "$daemon" --nofile=1000:
	holds 'it is ready again before the busy one has room' become 200
	get /v1/tenants
	is "$(field '.tenants[] | select(.name == "ann") | .running')" 1 'who still has his run'
	# shellcheck disable=SC2086 # many
	kill $anns 2>/dev/null
	daemon_stop
}

# The server's own, as a tracer has it: the third to the sixth connection cannot be taken.
# Whoever is connected hears of it; nobody is lost.
test_descriptors() {
	cat >"$dir/traced" <<-END
		#!/bin/sh
		exec strace -D -f -qq -o "$dir/calls" -e trace=accept4 \
			-e inject=accept4:error=EMFILE:syscall=getpid:when=3..6 "$quodd" "\$@"
	END
	chmod +x "$dir/traced"
	quodd=$dir/traced daemon_start
	talker_start
	curl -sS -m 60 --unix-socket "$socket" -o "$dir/late" http://quodd/healthz &
	late=$!
	for _ in $(seq 500); do
		ask /readyz
		! grep -q '"what":"descriptors"' "$dir/told" || break
		sleep 0.02
	done
	has "$(cat "$dir/told")" '"what":"descriptors","why":"a connection cannot be taken: Too many open files","mend":"raise' \
		'who is connected is told that nobody else can be'
	code=0
	wait "$late" || code=$?
	is "$code $(cat "$dir/late")" '0 {"status":"ok"}' 'who came meanwhile is served'
	talker_end
	is "$(missing)" '200 ' 'and nothing is missing any more'
	daemon_stop
}

# Told to stop it serves who is there.
test_stopping() {
	flight_start '{"source":"console.log(1); setTimeout(function () {}, 700)"}'
	talker_start
	kill -TERM "$daemon"
	for _ in $(seq 500); do
		[ -S "$socket" ] && curl -s -m 1 --unix-socket "$socket" http://quodd/healthz >/dev/null || break
		sleep 0.02
	done
	ask /readyz
	talker_end
	has "$(cat "$dir/told")" '"what":"service","why":"the daemon is stopping"' \
		'while it stops it is not ready'
	flight_end
	wait "$daemon"
	daemon=
}

test_checker
daemon_start --runs 1 || fail 'the daemon starts' "$(cat "$dir/log")"
test_start
test_ready
test_runs
test_refusals
test_live
test_jails
test_leaves
test_strangers
daemon_stop
test_tenants
test_wrong_interpreter
test_doubt
test_doubt_and_busy
test_descriptors
daemon_start
test_stopping
tap_done
