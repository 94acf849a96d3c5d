#!/bin/sh
# SPDX-License-Identifier: MIT
# The history: what it has of a run and for whom, page by page; runs that are cancelled by
# their ids; daemons that are killed with runs under way, after which every run that began
# is there once and has an end; a disk that is full; a file that is damaged.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
tenant=uid-$(id -u)
nobody_has=01ARZ3NDEKTSV4RRFFQ69G5FAV

# cancel ID
cancel() {
	request -X DELETE "http://quodd/v1/runs/$1"
}

# kept NAME: the reply just given is what the history has, to the byte.
kept() {
	cp "$dir/out" "$dir/given"
	id=$(field .id)
	get "/v1/runs/$id"
	is "$http $type" '200 application/json' "$1: it is in the history"
	holds "$1: to the byte" cmp "$dir/given" "$dir/out"
}

test_records() {
	post '{"source":"console.log(1); 6*7"}' /v1/run
	kept 'a run'
	conforms Record 'a run'
	post '{"source":"throw new TypeError(\"x\u0000\u0001\")","policy":"open"}' /v1/run
	kept 'an error'
	post '{"source":"eval(1)"}' /v1/run
	kept 'what the gate refuses'
	{
		printf '{"source":"'
		head -c 70000 /dev/zero | tr '\0' ' '
		printf '"}'
	} >"$dir/large"
	post "@$dir/large" /v1/run
	kept 'what is too large for a jail'
	post '{"source":"1"}' /v1/check
	kept 'a check'
	post '{"source":"2"}' /v1/run -H 'Accept: application/x-ndjson'
	tail -n 1 "$dir/out" >"$dir/last"
	cp "$dir/last" "$dir/out"
	kept 'the last line of a stream'
}

test_summaries() {
	get /v1/runs
	is "$http $type" '200 application/json' 'the list'
	conforms RunList 'the list'
	is "$(field '.runs | map(.status) | join(" ")')" 'ok ok rejected rejected error ok' \
		'newest first'
	is "$(field '.runs[0].source_sha256')" "$(printf 2 | sha256sum | cut -d ' ' -f 1)" \
		'with the hash of the source'
	is "$(field '.runs[1] | "\(.check) \(.decision)"')" 'true allowed' 'a check says so'
	is "$(field '.runs[4] | "\(.policy) \(.error.name) \(.error.message | length)"')" \
		'open TypeError 3' 'an error has its message'
	is "$(field '[.runs[].tenant] | unique | join(" ")')" "$tenant" 'and its tenant'
	is "$(field .next)" null 'there are no more'
	get '/v1/runs?status=rejected'
	is "$(field '[.runs[].status] | join(" ")')" 'rejected rejected' 'of one status'
	get "/v1/runs?tenant=$tenant&status=error&limit=1"
	is "$(field '.runs | length')" 1 'of one tenant'
	get '/v1/runs?tenant=somebody'
	is "$(field '.runs | length')" 0 'of one who is not there'
	conforms RunList 'an empty one'
}

# all_runs [QUERY]: every page, as lines in $dir/all.
all_runs() {
	before=
	: >"$dir/all"
	while [ "$before" != null ]; do
		get "/v1/runs?limit=${2:-200}${before:+"&before=$before"}${1:-}"
		[ "$http" = 200 ] || return 1
		jq -c '.runs[]' "$dir/out" >>"$dir/all"
		before=$(field .next)
	done
}

test_pages() {
	all_runs
	cp "$dir/all" "$dir/whole"
	is "$(wc -l <"$dir/whole")" 6 'all of them'
	for size in 1 2 5 6; do
		all_runs '' $size
		holds "in pages of $size they are the same" cmp "$dir/whole" "$dir/all"
	done
	get "/v1/runs?before=$nobody_has"
	is "$(field '.runs | length')" 0 'before the oldest there are none'
}

# What JSON makes six bytes of each is a large record of a small log.
test_abridged() {
	post '{"source":"var s = \"\\u0001\"; while (s.length < 32768) s += s; console.log(s); console.log(s.slice(8)); 5"}' /v1/run
	is "$(field '"\(.status) \(.value) \(.logs | length)"')" 'ok 5 2' 'a large record'
	id=$(field .id)
	get "/v1/runs/$id"
	conforms Record 'what is kept of it'
	record_has '.status == "ok" and .value == null and .value_text == null and
		.logs == [] and .logs_truncated and .usage.log_bytes == 65528' 'has no value and no log'
	has "$(cat "$dir/headers")" 'Quod-Abridged: true' 'which a header says'
	get '/v1/runs?limit=2'
	is "$(field '[.runs[].abridged | tostring] | join(" ")')" 'true false' 'and its summary'
}

# bad QUERY WHERE
bad() {
	get "/v1/runs?$1"
	refused 422 "$2" "the query $1"
}

test_refusals() {
	bad limit=0 '?limit'
	bad limit=201 '?limit'
	bad limit=1x '?limit'
	bad 'limit=%00' null
	bad limit null
	bad limit= '?limit'
	bad before=x '?before'
	bad before=81ARZ3NDEKTSV4RRFFQ69G5FAV '?before'
	bad "before=$nobody_has%27" '?before'
	bad status=good '?status'
	bad 'limit=1&limit=1' '?limit'
	bad nothing=1 null
	get "/v1/runs/$nobody_has"
	refused 404 null 'a run that is not there'
	for id in x 01arz3ndektsv4rrffq69g5fav "..%2f..%2fetc" "$(head -c 3000 /dev/zero | tr '\0' 0)"; do
		get "/v1/runs/$id"
		refused 404 null "what is no id: $(printf %.30s "$id")"
		cancel "$id"
		is "$http" 404 'nor can it be cancelled'
	done
	get "/v1/runs/$nobody_has/x"
	refused 404 null 'nothing is below a run'
	get '/v1/runs/'
	refused 404 null 'nor nothing'
	request -X PUT "http://quodd/v1/runs/$nobody_has"
	refused 405 null 'another method'
	has "$(cat "$dir/headers")" 'Allow: GET, DELETE' 'and which there are'
}

# running: the id of the one run under way.
running() {
	get '/v1/runs?status=running'
	id=$(field '.runs[0].id')
}

test_cancel() {
	flight_start
	running
	conforms RunList 'a run under way is in the list'
	get "/v1/runs/$id"
	is "$http $(field '"\(.status) \(.ended_at)"')" '200 running null' 'and by its id'
	conforms RunSummary 'a run under way'
	conforms Run 'a run under way'
	cancel "$id"
	is "$http" 202 'it can be cancelled'
	conforms RunSummary 'what is cancelled'
	flight_end
	is "$(printf '%s\n' "$rest" | tail -n 1 | jq -r '"\(.status) \(.kill.reason) \(.id)"')" \
		"cancelled cancelled $id" 'its client gets its record'
	holds 'its jail is gone' await_dead "$jail"
	get "/v1/runs/$id"
	is "$(cat "$dir/out")" "$(printf '%s\n' "$rest" | tail -n 1)" 'and so does the history'
	cancel "$id"
	refused 409 null 'what is over cannot be cancelled'
	cancel "$nobody_has"
	refused 404 null 'nor what is not there'
	has "$(cat "$dir/log")" "run $id is cancelled: somebody asked" 'it is in the log'
}

# Clients until there is no daemon: every source is another one, what it does takes a while.
# client NAME: the replies are in $dir/replies/NAME.N, the sources beside them.
client() {
	count=0
	while [ -S "$socket" ] && [ $count -lt 200 ]; do
		count=$((count + 1))
		to=$dir/replies/$1.$count
		printf 'console.log(1); setTimeout(function () {}, 20); "%s"' "$1.$count" >"$to.js"
		jq -cRs '{source: .}' "$to.js" |
			curl -sSN -m 60 --unix-socket "$socket" -H "Accept: $2" -o "$to" \
				-H 'Content-Type: application/json' -d @- \
				http://quodd/v1/run 2>/dev/null || return 0
	done
}

# crash VICTIMS ROUND
crash() {
	daemon_start || return 1
	clients=
	for number in 1 2 3; do
		client "$2-$number" application/json &
		clients="$clients $!"
	done
	client "$2-s" application/x-ndjson &
	clients="$clients $!"
	# One has been served, another has begun; from then on at any moment.
	for _ in $(seq 1500); do
		[ ! -s "$dir/replies/$2-1.1" ] || [ ! -s "$dir/replies/$2-s.1" ] || break
		sleep 0.02
	done
	sleep "0.$(($(od -An -N2 -tu2 /dev/urandom) % 3))$(($2 % 10))"
	# shellcheck disable=SC2086 # pids
	eval "kill -KILL $1"
	wait "$daemon" 2>/dev/null
	daemon=
	# shellcheck disable=SC2086 # pids
	wait $clients
	await_dead "$server"
}

test_crashes() {
	mkdir "$dir/replies"
	for round in 1 2 3 4; do
		# The victims are known once the daemon runs.
		crash '$daemon' "1$round"
		crash '$server' "2$round"
		crash '$daemon $server' "3$round"
	done
	daemon_start || fail 'the daemon starts after all that' "$(cat "$dir/log")"
	holds 'the history is there' all_runs
	jq -r .id "$dir/all" | sort >"$dir/ids"
	is "$(uniq -d "$dir/ids")" '' 'no run is there twice'
	is "$(jq -r 'select(.status == "running" or .ended_at == null) | .id' "$dir/all")" '' \
		'every one has an end'
	jq -r '"\(.source_sha256)"' "$dir/all" | sort | uniq -c >"$dir/hashes"
	jq -r '"\(.id) \(.status)"' "$dir/all" | sort >"$dir/known"
	# Whole records that a client has.
	for to in "$dir"/replies/*.js; do
		[ -s "${to%.js}" ] || continue
		tail -n 1 "${to%.js}" | jq -r 'select(.id) | "\(.id) \(.status)"' 2>/dev/null
	done | sort >"$dir/told"
	is "$(comm -23 "$dir/told" "$dir/known")" '' 'what a client was told is what the history has'
	holds 'and there was something to tell' test "$(wc -l <"$dir/told")" -ge 12
	# Streams of which a line has come: these runs have begun.
	begun=0
	for to in "$dir"/replies/*-s.*.js; do
		[ -s "${to%.js}" ] || continue
		begun=$((begun + 1))
		grep -q "^ *1 $(sha256sum <"$to" | cut -d ' ' -f 1)" "$dir/hashes" ||
			printf '%s\n' "$to"
		done >"$dir/lost"
	is "$(cat "$dir/lost")" '' 'every run that had begun is there, once'
	holds 'and some had' test "$(ls "$dir"/replies/*-s.*.js | wc -l)" -gt 11
	died=$(jq -r 'select(.status == "internal_error" and
		(.error.message | startswith("the daemon ended"))) | .id' "$dir/all" | tail -n 1)
	holds 'some died with their daemon' test -n "$died"
	get "/v1/runs/$died"
	conforms Record 'a run that died with its daemon'
	record_has '.status == "internal_error" and (.error.message | test("the daemon ended"))' \
		'and why it did not end'
}

# as NAME ARGS... PATH: by his token.
as() {
	name=$1
	shift
	for path; do :; done
	[ $# -eq 1 ] || request -H "Authorization: Bearer token-$name" "$@"
	[ $# -ne 1 ] || request -H "Authorization: Bearer token-$name" "http://quodd$path"
}

test_tenants() {
	mkdir -p "$dir/etc/tenants.d"
	for name in ann bob eve; do
		printf '[Tenant]\nTokenSHA256=%s\n' \
			"$(printf %s "token-$name" | sha256sum | cut -d ' ' -f 1)" \
			>"$dir/etc/tenants.d/$name.conf"
	done
	echo Operator=yes >>"$dir/etc/tenants.d/eve.conf"
	rm -rf "$dir/state/history"
	daemon_start --config "$dir/etc" || fail 'a daemon with tenants' "$(cat "$dir/log")"
	for name in ann bob ann; do
		post '{"source":"1"}' /v1/run -H "Authorization: Bearer token-$name"
	done
	id=$(field .id)
	as ann /v1/runs
	is "$(field '[.runs[].tenant] | join(" ")')" 'ann ann' 'a tenant has his own runs'
	as ann '/v1/runs?tenant=bob'
	is "$(field '.runs | length')" 0 'and of another none'
	as ann "/v1/runs/$id"
	is "$http" 200 'one of his'
	as bob "/v1/runs/$id"
	refused 404 null 'to another it is not there'
	cp "$dir/out" "$dir/given"
	as bob "/v1/runs/$nobody_has"
	sed -i "s/$nobody_has/$id/" "$dir/out"
	holds 'like one that is not there' cmp "$dir/given" "$dir/out"
	as eve /v1/runs
	is "$(field '[.runs[].tenant] | join(" ")')" 'ann bob ann' 'an operator has all of them'
	as eve "/v1/runs/$id"
	is "$http" 200 'each of them'
	as eve '/v1/runs?tenant=bob'
	is "$(field '[.runs[].tenant] | join(" ")')" bob 'and may choose'
	get /v1/runs
	is "$(field '.runs | length')" 3 'so has who has started it'
	as mallory /v1/runs
	refused 401 null 'a stranger has nothing'
	as mallory -X DELETE "http://quodd/v1/runs/$id"
	refused 401 null 'and cancels nothing'
	curl -sSN -m 60 --unix-socket "$socket" -H 'Authorization: Bearer token-ann' \
		-H 'Content-Type: application/json' \
		-d '{"source":"for (var n = 1; n > 0;);"}' http://quodd/v1/run >"$dir/flown" &
	client=$!
	for _ in $(seq 500); do
		as ann '/v1/runs?status=running'
		id=$(field '.runs[0].id')
		[ "$id" = null ] || break
		sleep 0.02
	done
	as bob -X DELETE "http://quodd/v1/runs/$id"
	refused 404 null 'nobody cancels the run of another'
	as ann "/v1/runs/$id"
	is "$(field .status)" running 'it goes on'
	as eve -X DELETE "http://quodd/v1/runs/$id"
	is "$http" 202 'but an operator does'
	wait "$client"
	is "$(jq -r .status "$dir/flown")" cancelled 'and its client is told'
	daemon_stop
}

# What a configuration keeps for how long.
test_retention() {
	printf '[History]\nMaxAgeSec=1s\n' >"$dir/etc/quodd.conf"
	daemon_start --config "$dir/etc" || fail 'it starts' "$(cat "$dir/log")"
	for _ in $(seq 500); do
		get /v1/runs
		[ "$(field '.runs | length')" != 0 ] || break
		sleep 0.02
	done
	is "$(field '.runs | length')" 0 'what is older than the configuration says is forgotten'
	daemon_stop
}

# A daemon on a disk of its own that we can fill: what is written to fd 6 is done there.
disk_start() {
	daemon_stop
	flags=-m
	[ "$(id -u)" = 0 ] || flags=-rm
	rm -rf "$dir/state/history"
	mkfifo "$dir/do"
	# shellcheck disable=SC2016 # the other shell's
	unshare $flags sh -c '
		mount -t tmpfs -o size=600k,mode=755 disk "$1/state" || exit
		"$2" --socket "$1/socket" --state "$1/state" >"$1/log" 2>&1 </dev/null 6<&- &
		echo $! >"$1/pid"
		while read -r line; do eval "$line"; done <"$1/do"
		wait' disk "$dir" "$quodd" &
	disk=$!
	exec 6>"$dir/do"
	for _ in $(seq 500); do
		! curl -s --unix-socket "$socket" http://quodd/healthz >/dev/null 2>&1 || break
		sleep 0.02
	done
	daemon=$(cat "$dir/pid")
	server=$(server_of "$daemon")
}

# on_disk COMMAND: there, until it is done.
on_disk() {
	rm -f "$dir/done"
	echo "$1; : >'$dir/done'" >&6
	for _ in $(seq 500); do
		[ ! -e "$dir/done" ] || return 0
		sleep 0.02
	done
	return 1
}

# is_full: no run is taken on, and the daemon has not yet tried again.
is_full() {
	post '{"source":"1"}' /v1/run
	[ "$http" != 200 ] || return 1
	cp "$dir/out" "$dir/refusal"
	cp "$dir/headers" "$dir/refusal_headers"
	get /readyz
	[ "$http" != 200 ] || return 1
	cp "$dir/out" "$dir/lacks"
	get /metrics
	grep -q '^quod_history_writable 0$' "$dir/out"
}

test_full_disk() {
	disk_start
	post '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'a daemon on a small disk'
	flight_start
	running
	flying=$id
	on_disk "head -c 10000000 /dev/zero >'$dir/state/filler' 2>/dev/null"
	# What the log still has room for is written; while the database need not grow for it the
	# log begins anew.
	full=no
	for _ in $(seq 50); do
		! is_full || full=yes
		[ $full = no ] || break
	done
	is "$full" yes 'on a full disk no run is taken on, it is not ready, and the metrics say so'
	is "$(sed -n 's/^quod_state_free_bytes //p' "$dir/out")" 0 'for nothing of the disk is free'
	is "$(jq -r '.status' "$dir/refusal")" 503 'a run is refused'
	has "$(jq -r .detail "$dir/refusal")" 'make room' 'and what to do is told'
	has "$(cat "$dir/refusal_headers")" 'Retry-After: 1' 'with the time to come again'
	cp "$dir/lacks" "$dir/out"
	is "$(field '[.missing[].what] | join(",")')" history 'it is what is missing'
	conforms Readiness 'not ready'
	get /healthz
	is "$http" 200 'but alive'
	get /v1/runs
	is "$http" 200 'the history can be read'
	cancel "$flying"
	is "$http" 202 'and a run be cancelled'
	flight_end
	is "$(printf '%s\n' "$rest" | tail -n 1 | jq -r .status)" cancelled 'whose client is told'
	on_disk "rm '$dir/state/filler'"
	for _ in $(seq 250); do
		get /readyz
		[ "$http" != 200 ] || break
		sleep 0.02
	done
	is "$http" 200 'with room it is ready again, by itself'
	get "/v1/runs/$flying"
	is "$(field .status)" cancelled 'and what ended meanwhile is made up for'
	post '{"source":"2"}' /v1/run
	is "$(field .status)" ok 'runs are taken on'
	kept 'after that'
	is "$(grep -c 'runs are taken on$' "$dir/log")" "$(grep -c 'no run is taken on' "$dir/log")" \
		'the log says so once each time'
	kill -TERM "$daemon"
	exec 6>&-
	code=0
	wait "$disk" || code=$?
	is "$code" 0 'and it ends in order'
	daemon=
}

# The file belongs to another user; only who is root can change it.
test_damage() {
	daemon_start
	post '{"source":"1"}' /v1/run
	kept 'a daemon'
	daemon_stop
	file=$dir/state/history/runs.db
	printf 'damage damage damage' | dd of="$file" bs=1 seek=100 conv=notrunc 2>/dev/null
	rm -f "$file-wal"
	daemon_start || fail 'it starts with a damaged file' "$(cat "$dir/log")"
	has "$(cat "$dir/log")" 'the history was damaged: it is now history/damaged-' \
		'what is damaged is put aside'
	holds 'and is still there' sh -c "ls '$dir'/state/history/damaged-*-runs.db"
	get /v1/runs
	is "$(field '.runs | length')" 0 'the new one is empty'
	post '{"source":"1"}' /v1/run
	kept 'in it'
	daemon_stop
}

# A newer quodd has left it: every start would end in the same way, and a manager is told so.
test_newer() {
	printf '\002' | dd of="$dir/state/history/runs.db" bs=1 seek=63 conv=notrunc 2>/dev/null
	rm -f "$dir/state/history/runs.db-wal"
	wrong 'was written by a newer quodd' 'the history of a newer quodd is left alone'
}

# wrong TEXT NAME: it does not begin, and says why.
wrong() {
	code=0
	timeout 20 "$quodd" --socket "$socket" --state "$dir/state" >"$dir/out" 2>&1 || code=$?
	is "$code" 2 "$2"
	has "$(cat "$dir/out")" "$1" 'and why'
}

test_planted() {
	rm -rf "$dir/state/history"
	mkdir "$dir/elsewhere"
	before=$(stat -c '%u %g %a' "$dir/elsewhere")
	ln -s "$dir/elsewhere" "$dir/state/history"
	wrong 'for the history' 'a link in the place of the history is not followed'
	is "$(stat -c '%u %g %a' "$dir/elsewhere")" "$before" 'where it leads nothing is changed'
	rm "$dir/state/history"
	echo x >"$dir/state/history"
	wrong 'for the history' 'a file in the place of the history is refused'
	rm "$dir/state/history"
	if [ "$QUOD_TEST_MODE" = caller ] && [ "$(id -u)" = 0 ]; then
		mkdir "$dir/state/history"
		chown 12345 "$dir/state/history"
		wrong 'belongs to user 12345' 'what belongs to a third is not given away'
		is "$(stat -c %u "$dir/state/history")" 12345 'nor touched'
		getent passwd quod >/dev/null ||
			has "$(cat "$dir/out")" "there is no user 'quod': make it" 'nor is a user missed in silence'
		rm -r "$dir/state/history"
	fi
}

# Who asks for much and reads nothing has a bound, and it is his alone.
test_unread() {
	daemon_start
	cases=$(jq -nc '[range(30) | {id: "\(.)", input: .}]')
	for _ in 1 2 3 4 5 6 7; do
		post '{"source":"throw new Error(Array(600).join(\"\\u0001\"))","cases":'"$cases"'}' /v1/run
	done
	get '/v1/runs?limit=200'
	holds 'a page may be large' test "$(wc -c <"$dir/out")" -gt 600000
	unread=
	for number in $(seq 120); do
		curl -s -m 120 --limit-rate 1 --unix-socket "$socket" -o /dev/null \
			'http://quodd/v1/runs?limit=200' &
		unread="$unread $!"
	done
	for _ in $(seq 500); do
		get '/v1/runs?limit=200'
		[ "$http" = 200 ] || break
		sleep 0.02
	done
	refused 429 null 'more of the history than may be in memory'
	# shellcheck disable=SC2086 # many
	kill $unread 2>/dev/null
	for _ in $(seq 500); do
		get '/v1/runs?limit=200'
		[ "$http" != 200 ] || break
		sleep 0.02
	done
	is "$http" 200 'when it is read, or its reader gone, there is room again'
	daemon_stop
}

test_memory() {
	"$quodd" --socket "$socket" >"$dir/log" 2>&1 </dev/null &
	daemon=$!
	for _ in $(seq 500); do
		! curl -s --unix-socket "$socket" http://quodd/healthz >/dev/null 2>&1 || break
		sleep 0.02
	done
	has "$(cat "$dir/log")" 'the history is in memory' 'without --state it says so'
	post '{"source":"1"}' /v1/run
	kept 'in memory'
	daemon_stop
	is "$code" 0 'and it ends in order'
}

daemon_start || fail 'the daemon starts' "$(cat "$dir/log")"
test_records
test_summaries
test_pages
test_abridged
test_refusals
test_cancel
daemon_stop
is "$code" 0 'it ends in order'
daemon_start
get '/v1/runs?limit=1'
is "$(field '.runs[0].id')" "$id" 'the next daemon has the history of the last'
is "$(stat -c %a "$dir/state/history")" 700 'which is for its owner alone'
daemon_stop
test_crashes
daemon_stop
test_tenants
test_retention
daemon_start
test_full_disk
test_damage
test_newer
test_planted
test_memory
rm -rf "$dir/state"
mkdir "$dir/state"
test_unread
tap_done
