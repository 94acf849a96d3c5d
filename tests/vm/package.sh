#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's packages from beginning to end, with dpkg: installed, tried, upgraded under load,
# removed, installed again, purged. What the system was like before is compared with what it
# is like then. run.sh has put the packages into /srv/quod/packages; the lower version is made
# here of the same files. No other quodd may have been installed.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
trap 'rm -rf "$dir"' EXIT
packages=/srv/quod/packages
socket=/run/quod/quod.sock
profile=/etc/apparmor.d/quod
parser=/usr/local/sbin/apparmor_parser
DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND

value_of() {
	systemctl show -p "$1" --value quodd.service
}

# What a package could leave, but for what dpkg and systemd remember of every one. Users by
# their names: they have passwords' dates.
system_state() {
	find / -xdev \( -path "$dir" -o -path /proc -o -path /sys -o -path /dev -o -path /tmp \
		-o -path /var/tmp -o -path /var/log -o -path /var/cache -o -path /var/lib/dpkg \
		-o -path /var/lib/systemd/deb-systemd-helper-masked \) -prune \
		-o -printf '%y %m %u %p %l\n'
	find /run /sys/fs/cgroup /var/lib/dpkg/info -name '*quod*' -o -name '*libjail*'
	cut -d : -f 1 /etc/passwd /etc/group /etc/shadow
	dpkg-query -W -f '${Package} ${db:Status-Status}\n'
}

# lower PACKAGE: a package of the same files and a lower version, in $dir/lower.
lower() {
	dpkg-deb -R "$packages/$1"_*.deb "$dir/$1"
	sed -i "s/^Version: .*/Version: 0.0.9-1/; s/$version/0.0.9-1/" "$dir/$1/DEBIAN/control"
	dpkg-deb -Znone -b "$dir/$1" "$dir/lower/$1.deb"
	rm -rf "${dir:?}/$1"
}

# dpkg_ok NAME ARGS...: without a complaint, but for directories in which the operator has files.
dpkg_ok() {
	dpkg_name=$1
	shift
	if dpkg "$@" >"$dir/dpkg" 2>&1 &&
		! grep -v 'not empty so not removed' "$dir/dpkg" | grep -qi 'warning\|error\|fail'; then
		pass "$dpkg_name"
	else
		fail "$dpkg_name" "$(cat "$dir/dpkg")"
	fi
}

versions() {
	dpkg-query -W -f '${Version} ' quod quodd 2>/dev/null
}

ran_ok() {
	post '{"source":"6*7"}' /v1/run
	is "$(field '"\(.status) \(.value) \(.enforced_by | "\(.memory) \(.cpu) \(.processes)")"')" \
		'ok 42 cgroup cgroup cgroup' "$1"
}

# When the socket was opened: who waits on it at any time since then has not been refused.
socket_since() {
	systemctl show -p ActiveEnterTimestampMonotonic --value quodd.socket
}

# Whether the running daemon is of the file that is installed now.
runs_installed() {
	[ "$(stat -L -c %d:%i "/proc/$(value_of MainPID)/exe")" = "$(stat -c %d:%i /usr/sbin/quodd)" ]
}

test_install() {
	dpkg_ok 'the lower version is installed' -i "$dir"/lower/*.deb "$packages"/libjail*.deb
	is "$(versions)" '0.0.9-1 0.0.9-1 ' 'both packages'
	is "$(systemctl is-active quodd.socket quodd.service | tr '\n' ' ')" 'active inactive ' \
		'the socket is there, and the daemon waits for it'
	is "$(systemctl --user -M tester@ is-enabled quodd.socket 2>&1)" disabled \
		"a user's own is for him to enable"
	if smoke=$(sh "$QUOD_TEST_SOURCE/debian/tests/smoke" 2>&1); then
		pass 'debian/tests/smoke'
	else
		fail 'debian/tests/smoke' "$smoke"
	fi
}

# As an operator has it: a tenant, a policy, a setting.
configure() {
	printf '[Tenant]\nUser=root\nRunsMax=16\n' >/etc/quod/tenants.d/host.conf
	printf '[Limits]\nRuntimeMaxSec=60s\n' >/etc/quod/policies/slow.policy
	printf '[Daemon]\nRuns=12\n' >>/etc/quod/quodd.conf
	sed -i '$aPolicies=default slow' /etc/quod/tenants.d/host.conf
	systemctl reload quodd.service
	for _ in $(seq 600); do
		! journalctl -q -u quodd.service -o cat -g 'configuration . counts: 1 tenant' \
			>/dev/null || break
		sleep 0.1
	done
	ran_ok 'with a tenant and a policy of its own'
}

load() {
	while [ ! -e "$dir/enough" ]; do
		curl -sS -m 120 -w '%{http_code} %{errormsg}\n' -o "$dir/reply.$1" \
			--unix-socket $socket -H 'Content-Type: application/json' \
			-d '{"source":"1"}' http://quodd/v1/run
		jq -r .status "$dir/reply.$1" >>"$dir/statuses"
	done
}

served() {
	cat "$dir"/load.? | wc -l
}

await_served() {
	until=$(($(served) + $1))
	for _ in $(seq 1200); do
		[ "$(served)" -lt $until ] || return 0
		sleep 0.1
	done
	return 1
}

# The load goes on through the upgrade; one run has begun before it and is over after it began.
test_upgrade() {
	old=$(value_of MainPID)
	since=$(socket_since)
	load 1 >"$dir/load.1" 2>&1 &
	loads=$!
	load 2 >"$dir/load.2" 2>&1 &
	loads="$loads $!"
	await_served 4
	mkfifo "$dir/long"
	curl -sSN -m 120 --unix-socket $socket -H 'Accept: application/x-ndjson' \
		-H 'Content-Type: application/json' -d '{"policy":"slow","source":
		"console.log(1); new Promise(function (r) { setTimeout(r, 25000, 2); })"}' \
		http://quodd/v1/run >"$dir/long" 2>&1 &
	exec 4<"$dir/long"
	read -r _ <&4
	dpkg_ok 'the upgrade' --force-confold -i "$packages"/*.deb
	is "$(tail -n 1 <&4 | jq -r '"\(.status) \(.value)"')" 'ok 2' \
		'a run that was under way is finished'
	exec 4<&-
	holds 'runs go on after the upgrade' await_served 8
	touch "$dir/enough"
	# shellcheck disable=SC2086 # numbers
	wait $loads
	is "$(sort "$dir"/load.? "$dir/statuses" | uniq -c | grep -v ' 200 $\| ok$')" '' \
		"nobody is refused: $(served) requests"
	is "$(socket_since)" "$since" 'the socket was there all the time'
	is "$(versions)" "$version $version " 'both packages are the new ones'
	is "$(value_of ActiveState) $(value_of Result)" 'active success' 'the daemon runs'
	holds 'and is the new one' runs_installed
	holds 'not the old one' test "$(value_of MainPID)" != "$old"
	holds 'the configuration is what it was' grep -q 'Runs=12' /etc/quod/quodd.conf
}

nothing_runs() {
	is "$(pgrep -c '^quod')$(find /sys/fs/cgroup -name '*quod*' | grep -v quod-check)" 0 \
		"$1: no process, no cgroup"
	holds "$1: no socket" test ! -e $socket
	is "$(systemctl list-units --plain --no-legend 'quodd.*')" '' "$1: no unit"
}

test_remove() {
	dpkg_ok 'it is removed' -r quodd quod
	nothing_runs 'removed'
	is "$(dpkg-query -W -f '${db:Status-Status} ' quod quodd)" 'config-files config-files ' \
		'dpkg knows of its configuration'
	holds 'which is there' test -s /etc/quod/tenants.d/host.conf
	holds 'as the policies are' test -s /etc/quod/policies/slow.policy
	holds 'and the history' test -s /var/lib/quod/history/runs.db
	dpkg_ok 'it is installed again' -i "$packages"/quod*.deb
	ran_ok 'and runs'
	get '/v1/runs?limit=200'
	holds 'with the history from before' test "$(field '.runs | length')" -gt 8
}

# The profile is offered to a parser that takes it, and to no other; here they are stand-ins,
# tests/packaging/apparmor.sh asks real ones.
test_profile() {
	mkdir -p /etc/apparmor.d/abi
	holds 'no AppArmor, no profile' test ! -L $profile
	printf '#!/bin/sh\nexit 1\n' >$parser
	chmod +x $parser
	dpkg_ok 'a parser that does not know the rule' -i "$packages"/quod_*.deb
	holds 'gets no profile' test ! -L $profile
	printf '#!/bin/sh\necho "$@" >>%s/parsed\n' "$dir" >$parser
	dpkg-trigger --by-package=apparmor /etc/apparmor.d/abi
	dpkg_ok 'another AppArmor comes' --configure --pending
	is "$(readlink $profile)" /usr/share/quod/apparmor/quod 'and gets it'
	printf '#!/bin/sh\nexit 1\n' >$parser
	dpkg-trigger --by-package=apparmor /etc/apparmor.d/abi
	dpkg_ok 'an older one comes back' --triggers-only --pending
	holds 'the profile is gone' test ! -L $profile
	rm -f $profile
	echo '# mine' >$profile
	printf '#!/bin/sh\n' >$parser
	dpkg_ok 'with a profile of the operator' -i "$packages"/quod_*.deb
	is "$(cat $profile)" '# mine' 'it is left as it is'
	rm $profile
	dpkg_ok 'with none' -i "$packages"/quod_*.deb
	holds 'there is ours again' test -L $profile
}

test_purge() {
	dpkg_ok 'it is purged' -P quodd quod libjail-dev libjail0
	nothing_runs 'purged'
	rm -f $parser
	system_state >"$dir/after"
	is "$(diff "$dir/before" "$dir/after")" '' 'purge leaves nothing'
	dpkg_ok 'it is installed after a purge' -i "$packages"/quod*.deb
	ran_ok 'and runs'
	dpkg_ok 'it is purged without having been removed' --purge quod quodd
	nothing_runs 'purged again'
	systemctl reset-failed
	system_state >"$dir/after"
	is "$(diff "$dir/before" "$dir/after")" '' 'and leaves nothing'
}

version=$(dpkg-deb -f "$packages"/quodd_*.deb Version)
mkdir "$dir/lower"
lower quod >/dev/null
lower quodd >/dev/null
system_state >"$dir/before"
test_install
configure
test_upgrade
test_remove
test_profile
test_purge
tap_done
