#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples of the daemon's manual, as a reader types them, in a directory of the test's
# own. Those with a prompt of root need a host that is theirs: the guest with systemd makes
# them (tests/vm/quodd_systemd.sh), and here is the list.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
. "$QUOD_TEST_SOURCE/tests/manual.sh"
PATH=$QUOD_TEST_BUILD:$PATH
guest=$QUOD_TEST_SOURCE/tests/vm/quodd_systemd.sh

# judge NAME RECORD: the script of the example ran, and its last reply is that.
judge() {
	is "$code" 0 "$1: it runs"
	is "$(tail -n 1 "$dir/out" | jq -c '[.status, .value]' 2>&1)" "$2" "$1: and is answered"
}

test_quodd() {
	mkdir "$dir/home"
	manual_commands quodd.8 | sed '/^systemctl/,$d' >"$dir/script"
	is "$(wc -l <"$dir/script")" 5 'quodd(8): an example of three commands'
	# Who types gives the daemon the moment that it needs.
	{
		sed 's/\(.*\) &$/\1 2>log \&\ndaemon=$!\nwhile ! curl -s --unix-socket .\/socket http:\/\/quodd\/healthz >\/dev\/null; do kill -0 $daemon || exit 9; sleep 0.05; done/' "$dir/script"
		printf '\ncode=$?\nkill $daemon\nwait $daemon\nexit $code\n'
	} >"$dir/typed"
	code=0
	(cd "$dir/home" && timeout 60 sh "$dir/typed") >"$dir/out" 2>"$dir/err" || code=$?
	judge 'quodd(8)' '["ok",[1,4,9]]'
}

test_api() {
	daemon_start
	manual_commands quod-api.7 | sed "s|/run/quod/quod.sock|$socket|" >"$dir/typed"
	is "$(grep -c "$socket" "$dir/typed")" 1 'quod-api(7): an example of one command'
	code=0
	timeout 60 sh "$dir/typed" >"$dir/out" 2>"$dir/err" || code=$?
	judge 'quod-api(7)' '["ok",2]'
	daemon_stop
}

# The installed page has the directory of this build. No systemd is here to reload it, no user
# `batch`, and openssl need not be. A user is told from others by root's daemon alone.
test_configuration() {
	[ "$(id -u)" = 0 ] || return
	mkdir "$dir/bin" "$dir/etc"
	printf '#!/bin/sh\n[ "$*" = "reload quodd" ]\n' >"$dir/bin/systemctl"
	command -v openssl >/dev/null || printf '#!/bin/sh\nod -An -tx1 -N32 /dev/urandom | tr -d " \\n"\n' >"$dir/bin/openssl"
	chmod +x "$dir"/bin/*
	where=$("$quodd" --version | grep -o '/[^ ]*/quod$')
	manual_examples quodd.conf.5 | sed 's/^[	 ]*//; s/^# //' | sed '/^A tenant with/d' |
		sed "s|$where|$dir/etc|g; s/^User=batch/User=daemon/" >"$dir/typed"
	code=0
	PATH=$dir/bin:$PATH sh -e "$dir/typed" >"$dir/out" 2>&1 || code=$?
	is "$code $(cat "$dir/out")" "0 " 'quodd.conf(5): its tenants are right'
	is "$(cd "$dir/etc/tenants.d" && echo *)" 'batch.conf web.conf' 'both'
	daemon_start --config "$dir/etc"
	get /v1/tenants
	is "$(field '[.tenants[] | "\(.name) \(.runs_most)"] | join(", ")')" 'batch 4, web 8' 'and are those of a daemon'
	daemon_stop
}

test_guest() {
	{
		manual_commands quodd.8 '#'
		manual_commands quodd.8 | grep '^systemctl\|^journalctl'
		manual_commands quodd.conf.5 '#' | grep -o 'systemctl .*'
	} >"$dir/guest"
	is "$(wc -l <"$dir/guest")" 7 'seven are for the guest'
	sed 's/ && /\n/' "$dir/guest" | while read -r command; do echo "# in the guest: $command"; done
	for command in systemd-sysusers 'systemd-tmpfiles --create' 'systemctl daemon-reload' \
		'systemctl enable --now quodd.socket' 'systemctl --user enable --now quodd.socket' 'systemctl reload quodd'; do
		holds "the manual has $command" grep -qF "$command" "$dir/guest"
		holds "and the guest types it" grep -qF "$command" "$guest"
	done
}

test_quodd
test_api
test_configuration
test_guest
tap_done
