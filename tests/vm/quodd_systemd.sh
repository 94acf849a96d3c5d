#!/bin/sh
# SPDX-License-Identifier: MIT
# quodd as an operator has it: installed by `make install`, started by its socket, run under
# its units, reloaded, stopped, killed, started again under load; and a user's own. run.sh
# has installed it into /srv/quod/installed.
. "$QUOD_TEST_SOURCE/tests/vm/quodd_lib.sh"

both() {
	daemon=$(value_of MainPID)
	server=$(pgrep -P "$daemon" -x quodd-server)
}

is_new() {
	[ "$(value_of ActiveState)" = active ] && [ "$(value_of MainPID)" != "$daemon" ]
}

install_all() {
	install_files
	mkdir -p /etc/systemd/system/quodd.socket.d /etc/systemd/system/quodd.service.d
	printf '[Socket]\nListenStream=127.0.0.1:7833\n' \
		>/etc/systemd/system/quodd.socket.d/tcp.conf
	# Not to wait for half a minute; still above what an emulated processor needs.
	printf '[Service]\nWatchdogSec=10s\n' >/etc/systemd/system/quodd.service.d/watchdog.conf
	systemd-sysusers 2>/dev/null
	systemd-tmpfiles --create quod.conf
	systemctl daemon-reload
	systemctl enable --now quodd.socket 2>/dev/null
}

test_start() {
	is "$(systemctl is-active quodd.socket quodd.service | tr '\n' ' ')" 'active inactive ' \
		'the socket is there and the daemon is not'
	ran_ok 'the first connection starts it; every limit is held by a cgroup'
	is "$(value_of ActiveState) $(value_of Result)" 'active success' 'it is ready'
	if [ "$http" != 200 ]; then
		journalctl -q -u quodd.service -o cat -n 20 | sed 's/^/# /'
		tap_done
	fi
	has "$(value_of StatusText)" 'jails, of at most 16 runs; since the start' 'its status'
	both
	zygote=$(pgrep -P "$daemon" -x -o jail-zygote)
	is "$(awk '{ print $5, $8 }' "/proc/$zygote/mountinfo")" '/ tmpfs' \
		'jails are cloned where there is an empty root and nothing else'
	status=$(cat "/proc/$server/status")
	for line in 'CapBnd:	0000000000000000' 'Seccomp:	2'; do
		has "$status" "$line" "its server: $line"
	done
	is "$(stat -c %U "/proc/$server/environ") $(ls -A "/proc/$server/root")" 'root history' \
		'is not dumpable, and has only the history in its root'
	is "$(awk '/^Uid:/ { print $2 }' "/proc/$server/status")" "$(id -u quod)" 'and the user quod'
	is "$(as_user curl -s -o /dev/null -w '%{http_code}' --unix-socket $socket \
		http://quodd/healthz)" 200 'another user is told that it is alive'
	is "$(as_user curl -s -o /dev/null -w '%{http_code}' --unix-socket $socket \
		http://quodd/v1/policies)" 403 'and not served'
	is "$(curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:7833/healthz)" 200 'TCP too'
	is "$(curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:7833/v1/policies)" 401 \
		'where nobody is known without a token'
}

# diagnosed NAME: state and remedy of a row.
diagnosed() {
	"$quod" doctor --for quodd -o json >"$dir/out"
	field '.probes[] | select(.name == "'"$1"'") | .state + " " + (.remedy // "")'
}

# The clock is that of an emulated machine.
test_doctor() {
	is "$(diagnosed daemon)" 'works ' 'doctor: the daemon is well'
	is "$(field '[.probes[] | select(.room == "daemon" and .state != "works" and
		.name != "quodd: clock") | .name] | join(",")')" '' 'doctor: so is all that is the daemon'"'"'s'
	systemctl disable quodd.socket 2>/dev/null
	is "$(diagnosed units)" 'less systemctl enable --now quodd.socket' 'doctor: units that are not enabled'
	systemctl enable --now quodd.socket 2>/dev/null
	is "$(diagnosed units)" 'works ' 'doctor: what it says mends it'
	code=0
	as_user "$quod" doctor --for quodd -o json >"$dir/out" || code=$?
	is "$code $(field '.probes[] | select(.name == "caller") | .remedy')" '8 sudo quod doctor --for quodd' \
		'doctor: another user sees less'
}

entry_of() {
	journalctl -q -o json RUN_ID="$1" -n 1 | grep .
}

test_journal() {
	post '{"source":"throw 1"}' /v1/run
	id=$(field .id)
	await entry_of "$id"
	is "$(entry_of "$id" | jq -r '"\(.TENANT) \(.STATUS) \(.POLICY) \(._SYSTEMD_UNIT) \(._UID)"')" \
		"uid-0 error default quodd.service $(id -u quod)" 'a run is in the journal, with its fields'
	is "$(entry_of "$id" | jq -r .MESSAGE)" "run $id is over: error" 'and for people'
}

test_reload() {
	both
	systemctl reload quodd
	is "$? $(value_of MainPID) $(value_of ActiveState)" "0 $daemon active" 'a reload'
	ran_ok 'after it runs go on'
}

tenant() {
	printf '[Tenant]\n%b' "$2" >"$etc/tenants.d/$1.conf"
}

# A second tenant is somebody else, and a third has a token.
test_tenants() {
	both
	mkdir -p "$etc/tenants.d"
	# From here on no jail is warm: what is left would be among them.
	printf '[Pool]\nMost=0\n' >"$etc/quodd.conf"
	tenant host 'User=root\nRunsMax=16\n'
	tenant tester "User=$user\n"
	tenant web "TokenSHA256=$(printf token | sha256sum | cut -d' ' -f1)\nRunsMax=16\n"
	systemctl reload quodd
	await journalctl -q -u quodd.service -o cat -g 'configuration . counts: 3 tenants'
	as_user curl -sS --unix-socket $socket -H 'Content-Type: application/json' \
		-d '{"source":"1"}' http://quodd/v1/run >"$dir/out"
	is "$(field '"\(.status) \(.tenant)"')" 'ok tester' 'after a reload another user is a tenant'
	curl -sS -H 'Authorization: Bearer token' -H 'Content-Type: application/json' \
		-d '{"source":"1"}' http://127.0.0.1:7833/v1/run >"$dir/out"
	is "$(field '"\(.status) \(.tenant) \(.enforced_by.memory)"')" 'ok web cgroup' \
		'and over TCP who has the token'
	tenant bad 'RunsMax=0\n'
	code=0
	systemctl reload quodd 2>/dev/null || code=$?
	is "$code" 1 'a reload of a bad file fails'
	await journalctl -q -u quodd.service -o cat -g 'bad.conf:2:9'
	has "$(journalctl -q -u quodd.service -o cat)" 'bad.conf:2:9' 'a bad file is told'
	rm "$etc/tenants.d/bad.conf"
	ran_ok 'and changes nothing'
	is "$(value_of MainPID)" "$daemon" 'all that by one daemon'
}

# killed NAME SIGNAL PID...: with a run under way; it comes back and nothing is left.
killed() {
	killed_name=$1 killed_signal=$2
	shift 2
	flight_start
	holds "$killed_name: with a run in a leaf of its own" test -n "$(leaves)"
	kill -"$killed_signal" "$@"
	flight_end
	holds "$killed_name: it is back" await is_new
	ran_ok "$killed_name: and runs"
	is "$(leaves)" '' "$killed_name: no leaf is left"
	is "$(pgrep -c -x quodd-server) $(pgrep -c -x quod-js)" '1 0' "$killed_name: nor a process"
	both
}

test_killed() {
	both
	killed 'the server is killed' KILL "$server"
	killed 'the monitor is killed' KILL "$daemon"
	killed 'both are killed' KILL "$server" "$daemon"
	killed 'the server hangs' STOP "$server"
	killed 'the monitor hangs' STOP "$daemon"
	has "$(journalctl -q -u quodd.service -o cat)" 'the server does not answer: it is ended' \
		'who hung is in the journal'
	has "$(journalctl -q -u quodd.service -o cat)" 'Watchdog timeout' 'both of them'
	get '/v1/runs?status=internal_error'
	is "$(field '.runs | length')" 5 'and each of those runs is in the history'
}

load() {
	while [ ! -e "$dir/enough" ]; do
		curl -sS -m 60 "$@" -w '%{http_code} %{errormsg}\n' -o /dev/null
	done
}

test_restarts() {
	load --unix-socket $socket -H 'Content-Type: application/json' -d '{"source":"1"}' \
		http://quodd/v1/run >"$dir/load.1" 2>&1 &
	loads=$!
	load http://127.0.0.1:7833/v1/run -H 'Authorization: Bearer token' \
		-H 'Content-Type: application/json' -d '{"source":"1"}' >"$dir/load.2" 2>&1 &
	loads="$loads $!"
	for _ in 1 2 3; do
		systemctl restart quodd.service
		served=$(cat "$dir"/load.* | wc -l)
		for _ in $(seq 600); do
			[ "$(cat "$dir"/load.* | wc -l)" -lt $((served + 8)) ] || break
			sleep 0.1
		done
	done
	touch "$dir/enough"
	# shellcheck disable=SC2086 # numbers
	wait $loads
	is "$(cat "$dir"/load.* | sort | uniq -c | grep -v ' 200 $')" '' \
		"three restarts refuse nobody: $(cat "$dir"/load.* | wc -l) requests"
}

test_drain() {
	both
	flight_start '{"source":"console.log(1); setTimeout(function () {}, 2000)"}'
	systemctl stop quodd.service 2>/dev/null
	flight_end
	is "$(printf '%s\n' "$rest" | tail -n 1 | jq -r .status)" ok 'a stop lets the run finish'
	is "$(value_of Result)" success 'and is in order'
	await test ! -e $group
	holds 'no cgroup is left' test ! -e $group
	ran_ok 'the next connection starts it again'
}

# Debian's nginx with the example, a certificate of its own, other ports than those of hosts.
test_nginx() {
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=quod.example.org \
		-keyout "$dir/key" -out "$dir/certificate" 2>/dev/null
	{
		printf 'pid %s/pid;\nerror_log %s/error;\nevents {}\nhttp {\naccess_log off;\n' \
			"$dir" "$dir"
		sed "s|listen 443|listen 127.0.0.1:8443|; s|/etc/ssl/certs/quod.pem|$dir/certificate|
			s|/etc/ssl/private/quod.key|$dir/key|" "$QUOD_TEST_SOURCE/docs/nginx.conf"
		echo '}'
	} >"$dir/nginx.conf"
	nginx -c "$dir/nginx.conf" -e "$dir/error"
	for path in healthz:200 v1/policies:401 metrics:404; do
		is "$(curl -s -o "$dir/out" -D "$dir/headers" -w '%{http_code}' \
			--cacert "$dir/certificate" --resolve quod.example.org:8443:127.0.0.1 \
			"https://quod.example.org:8443/${path%:*}")" "${path#*:}" "over TLS: /${path%:*}"
		[ "$path" != v1/policies:401 ] ||
			has "$(cat "$dir/headers")" 'WWW-Authenticate: Bearer' 'with what there is to show'
	done
	kill "$(cat "$dir/pid")"
}

test_users() {
	as_user systemctl --user daemon-reload
	as_user systemctl --user enable --now quodd.socket 2>/dev/null
	as_user curl -sS --unix-socket /run/user/$user/quod/quod.sock \
		-H 'Content-Type: application/json' -d '{"source":"6*7"}' http://quodd/v1/run \
		>"$dir/out" 2>"$dir/err"
	is "$(field '"\(.status) \(.tenant) \(.enforced_by | "\(.memory) \(.cpu) \(.processes)")"')" \
		"ok uid-$user cgroup cgroup cgroup" "a user's own daemon, with the same limits"
	as_user systemctl --user restart quodd.service
	is "$(as_user systemctl --user is-active quodd.service)" active 'which he starts again'
	as_user systemctl --user disable --now quodd.socket quodd.service 2>/dev/null
	holds 'and which is gone' await test -z "$(pgrep -u $user -x quodd)"
}

install_all
test_start
test_doctor
test_journal
test_reload
test_tenants
test_killed
test_restarts
test_drain
test_nginx
test_users
before=$(grep -c . /proc/self/mountinfo)
systemctl disable --now quodd.socket quodd.service 2>/dev/null
is "$(systemctl is-failed quodd.service quodd.socket | tr '\n' ' ')" 'inactive inactive ' \
	'at last it is stopped in order'
holds 'without its socket' test ! -e $socket
is "$(leaves)$(find /sys/fs/cgroup -name quodd.service)" '' 'and without a cgroup'
is "$(grep -c . /proc/self/mountinfo)" "$before" 'or a mount'
tap_done
