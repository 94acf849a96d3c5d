# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What runbooks.sh breaks before it follows a runbook: break_NAME brings the host into that
# state, leave_NAME ends what belongs to it and is not the operator's to mend (clients, a
# disk), judge_NAME looks at the result where "it runs again" is not the question.

restart() {
	systemctl restart quodd.service
}

drop_in() {
	mkdir -p "/etc/systemd/system/quodd.service.d"
	printf '[Service]\n%b\n' "$2" >"/etc/systemd/system/quodd.service.d/$1.conf"
	systemctl daemon-reload
}

tenant() {
	printf '[Tenant]\n%b' "$2" >"/etc/quod/tenants.d/$1.conf"
}

token_of() {
	printf '%s-%s' "$1" 0123456789abcdef0123456789abcdef
}

hash_of() {
	token_of "$1" | sha256sum | cut -d ' ' -f 1
}

# ask TENANT JOB [OPTION...]: a client with that tenant's token.
ask() {
	ask_as=$1 ask_job=$2
	shift 2
	curl -s -m 60 --unix-socket $socket -H "Authorization: Bearer $(token_of "$ask_as")" \
		-H 'Content-Type: application/json' -d "$ask_job" "$@" http://quod/v1/run
}

# clients COUNT TENANT JOB: so many, each one request after the other, until clients_end.
clients() {
	rm -f "$dir/enough"
	for _ in $(seq "$1"); do
		while [ ! -e "$dir/enough" ]; do
			ask "$2" "$3"
			sleep 1
		done >/dev/null 2>&1 &
		crowd="${crowd:-} $!"
	done
}

clients_end() {
	touch "$dir/enough"
	# shellcheck disable=SC2086 # numbers
	wait $crowd
	crowd=
}

# number_of METRIC: its sum.
number_of() {
	curl -s --unix-socket $socket http://quod/metrics |
		awk -v name="$1" '{ sub(/{.*}/, "", $1) } $1 == name { sum += $2 } END { print sum + 0 }'
}

at_least() {
	[ "$(number_of "$1")" -ge "$2" ]
}

# A second of a place, and no processor time.
slow_job='{"source":"setTimeout(function () {}, 1000); 1"}'

break_nothing() {
	systemctl start quodd.service
}

# --- pages in order -------------------------------------------------------------

# As `make install` or a package leaves it; systemd has not been told.
break_not_installed() {
	systemctl disable --now quodd.socket quodd.service
	rm -rf /etc/quod /etc/systemd/system/quodd.* /var/lib/quod
	userdel quod
	install_files
	unit=$(find /usr/local/lib /usr/lib /lib -path '*systemd/system/quodd.service' | head -n 1)
	sed -i "s|$etc|/etc/quod|" "$unit"
}

break_flood() {
	tenant noisy "TokenSHA256=$(hash_of noisy)\nRunsMax=1\nQueueMax=2\n"
	systemctl reload quodd.service
	# Two more than run, wait and think at a time.
	clients 6 noisy "$slow_job"
	await at_least quod_refusals_total 3
}

leave_flood() {
	clients_end
}

break_few_places() {
	printf '[Daemon]\nRuns=1\n' >/etc/quod/quodd.conf
	tenant batch "TokenSHA256=$(hash_of batch)\nRunsMax=8\n"
	systemctl reload quodd.service
	curl -s -Z --parallel-max 3 --unix-socket $socket -d "$slow_job" \
		-H "Authorization: Bearer $(token_of batch)" -H 'Content-Type: application/json' \
		'http://quod/v1/run#[1-1000]' >/dev/null &
	crowd=$!
	await has_waited batch
}

# has_waited TENANT: the last of its runs did, for long.
has_waited() {
	quod history --tenant "$1" --status ok --limit 1 -o json | jq -e '.runs[0].usage.queue_ms > 500'
}

leave_few_places() {
	kill "$crowd"
	wait "$crowd"
	crowd=
}

# A script that is not new, and a policy that has become smaller.
break_memory_storm() {
	mkdir -p /etc/quod/policies
	printf '[Limits]\nMemoryMax=2M\n' >/etc/quod/policies/report.policy
	tenant reports "TokenSHA256=$(hash_of reports)\nPolicies=report\n"
	systemctl reload quodd.service
	for _ in 1 2 3; do
		ask reports '{"source":"new Uint8Array(4000000).length"}'
	done
	at_least quod_runs_total 3
}

break_short_time() {
	mkdir -p /etc/quod/policies
	printf '[Limits]\nRuntimeMaxSec=1s\n' >/etc/quod/policies/slow.policy
	tenant hooks "TokenSHA256=$(hash_of hooks)\nPolicies=slow\n"
	systemctl reload quodd.service
	for _ in 1 2; do
		ask hooks '{"source":"setTimeout(function () {}, 2000); 1"}'
	done
}

# An interpreter that was taken over, in one run of one tenant, before the daemon was last
# started.
break_violation() {
	tenant plugin "TokenSHA256=$(hash_of plugin)\n"
	drop_in interpreter "Environment=QUOD_JS=$QUOD_TEST_BUILD/tests/integration/liar"
	restart
	ask plugin '{"source":"ready gate go call:41"}'
	rm /etc/systemd/system/quodd.service.d/interpreter.conf
	systemctl daemon-reload
	restart
}

break_escape() {
	tenant plugin "TokenSHA256=$(hash_of plugin)\n"
	systemctl reload quodd.service
	ask plugin '{"source":"for (var n = 1; n > 0;);"}' >/dev/null &
	crowd=$!
	await at_least quod_runs_live 1
}

leave_escape() {
	wait "$crowd"
	crowd=
}

# A process in a leaf that no signal reaches: it writes to a file system that was frozen.
break_stuck_leaf() {
	modprobe loop
	truncate -s 8M /var/tmp/data.img
	mke2fs -q -t ext4 /var/tmp/data.img
	mkdir -p /mnt/data
	mount -o loop /var/tmp/data.img /mnt/data
	fsfreeze --freeze /mnt/data
	cp /dev/zero /mnt/data/file &
	crowd=$!
	await grep -q '^State:.D' "/proc/$crowd/status"
	quod run --daemon -e 'setTimeout(function () {}, 2000)' &
	await test -n "$(running_leaf)"
	echo $crowd >"$(running_leaf)/cgroup.procs"
	await at_least quod_cgroup_leaves_left 1
}

running_leaf() {
	await_run=
	for _ in $(seq 100); do
		await_run=$(quod history --status running -o json | jq -r '.runs[0].id // empty')
		[ -z "$await_run" ] || break
	done
	find $group -name "*$(printf %s "$await_run" | tail -c 16).run"
}

leave_stuck_leaf() {
	kill -KILL "$crowd"
	wait "$crowd"
	crowd=
	umount /mnt/data
	rm -r /mnt/data /var/tmp/data.img
}

break_bad_configuration() {
	printf '[Daemon]\nRuns=many\n' >/etc/quod/quodd.conf
	restart
	:
}

break_bad_policy() {
	mkdir -p /etc/quod/policies
	printf '[Limits]\nMemoryMx=64M\n' >/etc/quod/policies/large.policy
	tenant large "User=tester\nPolicies=large\n"
	restart
	:
}

break_masked_socket() {
	systemctl mask --now quodd.socket quodd.service
}

break_no_user() {
	systemctl stop quodd.service
	userdel quod
	restart
	:
}

break_wrong_owner() {
	systemctl stop quodd.service
	chown -R tester /var/lib/quod/history
	restart
	:
}

break_interpreter_closed() {
	systemctl stop quodd.service
	chmod 600 "$(quod version | sed -n 's/^interpreter *//p')"
	restart
	:
}

break_not_delegated() {
	tenant budget "TokenSHA256=$(hash_of budget)\nMemoryMax=256M\n"
	drop_in hardening 'Delegate=no'
	restart
	:
}

break_few_descriptors() {
	drop_in limits 'LimitNOFILE=64'
	restart
	:
}

break_damaged_history() {
	systemctl stop quodd.service
	printf 'damaged' | dd of=/var/lib/quod/history/runs.db bs=1 seek=4096 conv=notrunc
	restart
}

# A disk of its own, so that the guest's is not full.
break_full_disk() {
	systemctl stop quodd.socket quodd.service
	mv /var/lib/quod /var/lib/quod.kept
	mkdir -m 700 /var/lib/quod
	mount -t tmpfs -o size=1m,mode=700 tmpfs /var/lib/quod
	systemctl start quodd.socket quodd.service
	long_runs
	dd if=/dev/zero of=/var/lib/quod/core.1234 bs=64k
	for _ in $(seq 20); do
		long_runs
		! stays_red || return 0
	done
	return 1
}

# What the log has by now cannot be carried over into a database that cannot grow.
long_runs() {
	for _ in 1 2; do
		quod run --daemon -e "'$(head -c 9000 /dev/zero | tr '\0' x)'" >/dev/null
	done
}

# What still fits into the log is written, and so it may be ready again in between.
stays_red() {
	for _ in 1 2 3; do
		curl -sf --unix-socket $socket http://quod/readyz >/dev/null && return 1
		sleep 0.6
	done
}

leave_full_disk() {
	systemctl stop quodd.socket quodd.service
	umount /var/lib/quod
	rmdir /var/lib/quod
	mv /var/lib/quod.kept /var/lib/quod
	systemctl start quodd.socket
}

break_no_userns() {
	echo 'user.max_user_namespaces = 0' >/etc/sysctl.d/99-hardening.conf
	sysctl -q --system
	restart
}

leave_no_userns() {
	rm -f /etc/sysctl.d/99-hardening.conf
}

break_tasks_max() {
	systemctl set-property quodd.service TasksMax=3
	restart
	! quod run --daemon -e 1
}

# The same for whoever has the token and for whoever has not.
break_stolen_token() {
	break_lost_token
}

break_lost_token() {
	tenant shop "TokenSHA256=$(hash_of lost)\n"
	systemctl reload quodd.service
	await ask lost '{"source":"1"}' -f
}

break_traffic() {
	for _ in 1 2 3; do
		quod run --daemon -e 1
	done
}

# Two clients at work, and a program that is newer than what runs of it.
break_new_version() {
	tenant shop "TokenSHA256=$(hash_of shop)\nRunsMax=4\n"
	systemctl reload quodd.service
	rm -f "$dir/enough"
	for _ in 1 2; do
		while [ ! -e "$dir/enough" ]; do
			ask shop '{"source":"setTimeout(function () {}, 300)"}' -o /dev/null -w '%{http_code} %{errormsg}\n'
		done >>"$dir/load" &
		crowd="${crowd:-} $!"
	done
	await test -s "$dir/load"
	sleep 1 # the clock of files has seconds here
	touch "$(command -v quodd)"
}

judge_new_version() {
	clients_end
	is "$(sort "$dir/load" | uniq -c | grep -v ' 200 $')" '' \
		"$page: nobody was refused: $(wc -l <"$dir/load") requests"
	ran_ok "$page: new_version: it runs again"
}

break_newer_history() {
	systemctl stop quodd.service
	rm -f /var/lib/quod/history/runs.db-wal
	printf '\002' | dd of=/var/lib/quod/history/runs.db bs=1 seek=63 conv=notrunc
	restart
	:
}

break_unwanted() {
	:
}
