#!/bin/sh
# SPDX-License-Identifier: MIT
# Many tenants on one host: who is one, what each may have, whose turn it is, and another
# configuration while the daemon runs.
. "$QUOD_TEST_SOURCE/tests/daemon/tenants_lib.sh"
# queue NAME SOURCE: a run that waits; its record goes to a file of its own, and $! is who
# waits for it. When it is in the queue this returns.
queue() {
	before=$(queued "$1")
	curl -sS -m 60 --unix-socket "$socket" -H 'Content-Type: application/json' \
		-H "Authorization: Bearer token-$1" -d "{\"source\":\"$2\"}" \
		http://quodd/v1/run >>"$dir/order" 2>/dev/null &
	waiting=$!
	for _ in $(seq 1500); do
		[ "$(queued "$1")" = "$before" ] || return 0
		sleep 0.02
	done
	return 1
}

queued() {
	curl -sS -m 60 --unix-socket "$socket" -H "Authorization: Bearer token-$1" \
		http://quodd/v1/tenants | jq '.tenants[0].queued'
}

# The one who has started it is no tenant here, but sees all of them.
test_who() {
	tenant ann
	tenant bob 'Policies=verify\n'
	daemon_start --config "$etc"
	post_as ann '{"source":"1"}' /v1/run
	is "$(field .status) $(field .tenant)" 'ok ann' 'by token'
	conforms Record 'by token'
	post_as bob '{"source":"true"}' /v1/run
	is "$(field .tenant) $(field .policy)" 'bob verify' 'by another token'
	post_as eve '{"source":"1"}' /v1/run
	refused 401 null 'an unknown token'
	has "$(cat "$dir/headers")" 'WWW-Authenticate: Bearer' 'how it could be known'
	post '{"source":"1"}' /v1/run
	refused 403 null 'no token, no tenant'
	get_as ann /v1/tenants
	is "$(field '[.tenants[].name] | join(" ")')" ann 'each sees himself'
	conforms Tenants 'himself'
	get_as eve /v1/tenants
	refused 401 null 'a stranger sees nobody'
	get /v1/tenants
	is "$(field '[.tenants[].name] | join(" ")')" 'ann bob' 'an operator sees all'
	conforms Tenants 'all of them'
	get_as bob /v1/policies
	is "$(field '[.policies[].name] | join(" ")')" verify 'the policies that he has'
	post_as bob '{"source":"1","policy":"default"}' /v1/run
	refused 422 /policy 'a policy of others'
	for token in "$(hash_of token-ann)" '' token-an token-anna 'token-ann '; do
		request -H "Authorization: Bearer $token" http://quodd/v1/policies
		is "$http" 401 "no token: '$token'"
	done
	daemon_stop
}

# What the kernel says of a client. Only root can be several of them.
test_users() {
	[ "$(id -u)" = 0 ] && setpriv --reuid=12345 --clear-groups true 2>/dev/null || return 0
	rm -f "$etc/tenants.d"/*
	printf '[Tenant]\nUser=12345\n' >"$etc/tenants.d/user.conf"
	printf '[Tenant]\nGroup=12399\n' >"$etc/tenants.d/group.conf"
	chmod 755 "$dir"
	daemon_start --config "$etc"
	for who in '--reuid=12345 --clear-groups user' '--reuid=12346 --regid=12399 --clear-groups group' \
		'--reuid=12346 --regid=12346 --groups=12398,12399 group' \
		'--reuid=12345 --regid=12399 --clear-groups user' '--reuid=12346 --clear-groups null'; do
		wanted=${who##* }
		# shellcheck disable=SC2086 # options
		setpriv ${who% *} curl -sS --unix-socket "$socket" -H 'Content-Type: application/json' \
			-d '{"source":"1"}' http://quodd/v1/run >"$dir/out" 2>&1
		is "$(jq -r .tenant "$dir/out")" "$wanted" "setpriv ${who% *}"
	done
	daemon_stop
}

test_policies() {
	rm -f "$etc/tenants.d"/*
	tenant ann 'Policies=tiny default\n'
	printf '[Run]\nEngine=duktape\n[Limits]\nMemoryMax=4M\nRuntimeMaxSec=1s\n[Rule "no-math"]\nMatch=global Math\nSeverity=deny\nMessage=no numbers\n' \
		>"$etc/policies/tiny.policy"
	daemon_start --config "$etc"
	post_as ann '{"source":"1"}' /v1/run
	is "$(field .policy) $(field .limits.memory_bytes) $(field .limits.wall_ms)" 'tiny 4194304 1000' \
		'the first policy of the list, from its file'
	get_as ann /v1/policies
	is "$(field '.policies[] | select(.name == "tiny").about')" tiny.policy 'a tenant is told no path'
	get /v1/policies
	is "$(field '.policies[] | select(.name == "tiny").about')" "$etc/policies/tiny.policy" \
		'an operator is'
	post_as ann '{"source":"Math.abs(1)"}' /v1/run
	is "$(field .status) $(field '[.gate.findings[].rule] | join(" ")')" 'rejected no-math' \
		'with rules of its own'
	post_as ann '{"source":"1","limits":{"memory_bytes":4194305}}' /v1/run
	refused 422 /limits/memory_bytes 'above the policy'
	post_as ann '{"source":"1","policy":"default"}' /v1/run
	is "$(field .policy)" default 'the other one'
	daemon_stop
}

# Where there is no cgroup a policy that asks for one has no run.
test_cgroup() {
	rm -f "$etc/tenants.d"/*
	tenant ann 'Policies=held default\n'
	printf '[Jail]\nRequireCgroup=yes\n' >"$etc/policies/held.policy"
	daemon_start --config "$etc"
	post_as ann '{"source":"1"}' /v1/run
	held=$(field '"\(.status) \(.enforced_by.memory)"')
	case $held in
	'ok cgroup') pass 'RequireCgroup=yes: a cgroup holds the limits' ;;
	'internal_error '*) has "$(field .error.message)" cgroup 'RequireCgroup=yes: no cgroup, no run' ;;
	*) fail 'RequireCgroup=yes' "$(cat "$dir/out")" ;;
	esac
	get /readyz
	[ "$held" = 'ok cgroup' ] || is "$http $(field '.missing[0].what')" '503 policy held' \
		'and it is not ready for that'
	post_as ann '{"source":"1","policy":"default"}' /v1/run
	is "$(field .status)" ok 'others have theirs'
	daemon_stop
	rm "$etc/policies/held.policy"
}

test_queue() {
	rm -f "$etc/tenants.d"/*
	tenant none 'RunsMax=1\nQueueMax=0\n'
	tenant one 'RunsMax=1\nQueueMax=1\n'
	tenant soon 'RunsMax=1\nQueueMaxSec=1ms\n'
	daemon_start --config "$etc"
	hold none
	post_as none '{"source":"1"}' /v1/run
	refused 429 null 'no room, and no queue'
	has "$(cat "$dir/headers")" 'Retry-After: 1' 'with the time to come again'
	let_go
	hold one
	queue one "'waited'"
	post_as one '{"source":"1"}' /v1/run
	refused 429 null 'the queue is full'
	let_go
	wait "$waiting"
	is "$(jq -r '.value + " " + (.usage.queue_ms > 0 | tostring)' "$dir/order")" 'waited true' \
		'who waits has his turn, and the time is told'
	rm -f "$dir/order"
	hold one
	queue one "'gone'"
	kill "$waiting"
	for _ in $(seq 1500); do
		[ "$(queued one)" != 0 ] || break
		sleep 0.02
	done
	is "$(queued one)" 0 'who goes away leaves the queue'
	let_go
	is "$(cat "$dir/order")" '' 'and does not run'
	hold soon
	post_as soon '{"source":"1"}' /v1/run
	refused 503 null 'a turn that does not come'
	let_go
	daemon_stop
}

# Longer than the clock of the record is coarse.
busy='for (var t = Date.now() + 20; Date.now() < t;);'

# One place for all. Who floods waits for his own runs alone.
test_turns() {
	rm -f "$etc/tenants.d"/* "$dir/order"
	printf '[Daemon]\nRuns=1\n' >"$etc/quodd.conf"
	tenant flood
	tenant few
	daemon_start --config "$etc"
	hold flood
	for number in 1 2 3; do
		queue flood "$busy 'flood $number'"
	done
	queue few "$busy 'few 1'"
	let_go
	wait "$waiting"
	for _ in $(seq 1500); do
		[ "$(jq -s length "$dir/order")" != 4 ] || break
		sleep 0.02
	done
	daemon_stop
	is "$(jq -rs 'sort_by(.started_at)[].value' "$dir/order" | tr '\n' ,)" 'few 1,flood 1,flood 2,flood 3,' \
		'the one who has had nothing is next'
}

test_rate() {
	rm -f "$etc/tenants.d"/* "$etc/quodd.conf"
	tenant slow 'RateLimitBurst=2\nRateLimitIntervalSec=1h\n'
	tenant free
	daemon_start --config "$etc"
	for number in 1 2; do
		post_as slow '{"source":"1"}' /v1/run
		is "$(field .status)" ok "within the rate: $number"
	done
	post_as slow '{"source":"1"}' /v1/run
	refused 429 null 'the rate is used up'
	seconds=$(sed -n 's/^Retry-After: \([0-9]*\).*/\1/p' "$dir/headers")
	is "$([ "$seconds" -gt 1600 ] && [ "$seconds" -le 1801 ] && echo yes)" yes \
		"the time to come again: half an hour, $seconds s"
	post_as free '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'others have their own'
	get_as slow /v1/tenants
	is "$(field '.tenants[0] | "\(.started) \(.refused) \(.rate_per_second)"')" '2 1 0.001' 'it is counted'
	daemon_stop
}

test_reload() {
	rm -f "$etc/tenants.d"/* "$dir/order"
	tenant ann 'RunsMax=1\n'
	tenant bob
	daemon_start --config "$etc"
	hold ann
	queue ann "'under the new one'"
	tenant ann 'RunsMax=1\nPolicies=verify\n'
	rm "$etc/tenants.d/bob.conf"
	tenant eve
	reload
	has "$said" 'configuration 2 counts: 2 tenants' 'another configuration'
	post_as bob '{"source":"1"}' /v1/run
	refused 401 null 'who is not in it is no tenant any more'
	post_as eve '{"source":"1"}' /v1/run
	is "$(field .tenant)" eve 'who is new is one'
	let_go
	wait "$waiting"
	is "$(jq -r .policy "$dir/order")" verify 'what waited is read again'
	printf '[Tenant]\nRunsMax=0\nRunMax=1\n' >"$etc/tenants.d/bad.conf"
	reload
	has "$said" "bad.conf:2:9: RunsMax='0' is below the least value" 'a bad file: where and what'
	says "$said" 'bad.conf:3:1: [Tenant] has no key RunMax: did you mean RunsMax' 'a bad file: all of it'
	has "$said" 'the old one counts' 'a bad file changes nothing'
	post_as eve '{"source":"1"}' /v1/run
	is "$(field .tenant)" eve 'all goes on as before'
	rm "$etc/tenants.d/bad.conf"
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		kill -HUP "$daemon"
		post_as eve '{"source":"1"}' /v1/run
		is "$(field .status)" ok 'no run is lost by reloads'
	done
	daemon_stop
	is "$code" 0 'it ends in order'
}

# faulty FILE CONTENT SAID
faulty() {
	printf '%b' "$2" >"$etc/$1"
	code=0
	"$quodd" --test --config "$etc" >"$dir/out" 2>&1 || code=$?
	is "$code" 2 "$3"
	says "$(cat "$dir/out")" "$1$3" "$3: where"
	rm "$etc/$1"
}

test_faults() {
	rm -rf "$etc/tenants.d"/* "$etc/quodd.conf"
	token=$(hash_of x)
	faulty quodd.conf '[Daemon]\nRuns=0\n' ":2:6: Runs='0' is below the least value (from 1 to 512)"
	faulty quodd.conf '[Daemon]\nRuns=many\n' ":2:6: Runs='many' is not a whole number"
	faulty quodd.conf '[Demon]\nRuns=1\n' ':1:1: there is no section [Demon]'
	faulty quodd.conf '[Daemon]\nDrainsec=1\n' ':2:1: [Daemon] has no key Drainsec: did you mean DrainSec'
	faulty quodd.conf '[Tenant]\nUser=root\n' ":2:1: User= is for a tenant's own file"
	faulty quodd.conf '[Tenant]\nPolicies=none\n' ":2:10: the policy 'none' cannot be used"
	faulty quodd.conf '[Tenant]\nPolicies=../x\n' ":2:10: '../x': policies are named"
	faulty quodd.conf '[Tenant]\nOperator=maybe\n' ":2:10: Operator='maybe' is neither yes nor no"
	faulty quodd.conf 'Runs=1\n' ':1:1: Runs= is in no section'
	faulty tenants.d/a.conf '[Daemon]\nRuns=1\n' ':1:1: [Daemon] is for quodd.conf'
	faulty tenants.d/a.conf '[Tenant]\nRunsMax=1\n' ': nobody can be this tenant'
	faulty tenants.d/a.conf '[Tenant]\nTokenSHA256=abc\n' ":2:13: a token's SHA-256 has 64"
	faulty tenants.d/a.conf '[Tenant]\nUser=no-such-user-here\n' ":2:6: there is no user"
	[ "$(id -u)" != 0 ] || {
		faulty tenants.d/a.conf '[Tenant]\nUser=65534\n' ":2:6: '65534' is 65534, which may be anybody"
		faulty tenants.d/a.conf '[Tenant]\nGroup=65534\n' ":2:7: '65534' is 65534, which may be anybody"
	}
	[ "$(id -u)" = 0 ] || {
		faulty tenants.d/a.conf '[Tenant]\nUser=4321\n' ":2:6: '4321': a daemon that is not root's"
		faulty tenants.d/a.conf '[Tenant]\nGroup=4321\n' ":2:7: '4321': a daemon that is not root's"
	}
	faulty quodd.conf '[Deamon]\n[Tenant]\nPolicies=verify none\n' ":3:10: the policy 'none' cannot"
	faulty tenants.d/a.conf '[Tenant]\nGroup=no-such-group-here\n' ":2:7: there is no group"
	faulty tenants.d/a.conf "[Tenant]\nTokenSHA256=$token $token\n" ":2:13: that is the tenant 'a' already"
	faulty tenants.d/a.conf '[Tenant]\nQueueMaxSec=2h\n' ":2:13: QueueMaxSec='2h' is above the most allowed"
	faulty 'tenants.d/a b.conf' '[Tenant]\nUser=1\n' ": a tenant's file is called NAME.conf"
	: >"$etc/policies/bad.policy"
	printf '[Limits]\nMemoryMax=1\n' >"$etc/policies/bad.policy"
	faulty quodd.conf '[Tenant]\nPolicies=bad\n' ":2:10: the policy 'bad' cannot be used"
	has "$(cat "$dir/out")" 'bad.policy:2:11' 'and why: the place in the policy'
	rm "$etc/policies/bad.policy"
	[ "$(id -u)" != 0 ] || [ "$QUOD_TEST_MODE" = userns ] || {
		printf '[Tenant]\nUser=1\n' >"$etc/tenants.d/a.conf"
		chmod 666 "$etc/tenants.d/a.conf"
		run_test_config
		has "$(cat "$dir/out")" 'a.conf: others than root can write it' 'a file that others can write'
		rm "$etc/tenants.d/a.conf"
		chmod 777 "$etc/tenants.d"
		run_test_config
		has "$(cat "$dir/out")" 'tenants.d: others than root can write it' 'a directory that others can write'
		chmod 755 "$etc/tenants.d"
		chmod 777 "$etc"
		run_test_config
		has "$(cat "$dir/out")" 'etc: others than root can write it' 'nor where all of it is'
		chmod 755 "$etc"
	}
	code=0
	"$quodd" --test --config "$dir/nowhere" >"$dir/out" 2>&1 || code=$?
	is "$code $(cat "$dir/out")" "2 quodd: $dir/nowhere: No such file or directory" 'no directory'
	printf '[Tenant]\nUser=%s\n' "$(id -u)" >"$etc/tenants.d/a.conf"
	[ "$QUOD_TEST_MODE" != nobody ] || printf '[Tenant]\nTokenSHA256=%s\n' "$token" >"$etc/tenants.d/a.conf"
	run_test_config
	is "$code $(cat "$dir/out")" '0 ' 'nothing wrong, nothing said'
	ln -s nowhere "$etc/quodd.conf"
	run_test_config
	is "$code $(cat "$dir/out")" "2 quodd: $etc/quodd.conf: cannot be read: No such file or directory" \
		'a link to nothing is not the same as nothing'
	rm "$etc/quodd.conf"
	mv "$etc/tenants.d" "$etc/elsewhere"
	ln -s nowhere "$etc/tenants.d"
	run_test_config
	is "$code $(cat "$dir/out")" "2 quodd: $etc/tenants.d: No such file or directory" \
		'nor are tenants that cannot be found'
	rm "$etc/tenants.d"
	mv "$etc/elsewhere" "$etc/tenants.d"
}

run_test_config() {
	code=0
	"$quodd" --test --config "$etc" >"$dir/out" 2>&1 || code=$?
}

# What holds them is in tests/vm/tenants.sh; here there may be no controllers.
test_budget() {
	rm -rf "$etc/tenants.d"/* "$etc/quodd.conf"
	tenant ann 'MemoryMax=256M\nTasksMax=100\n'
	if daemon_start --config "$etc"; then
		post_as ann '{"source":"1"}' /v1/run
		is "$(field .status)" ok 'a tenant with a budget, where it can be held'
		daemon_stop
	else
		code=0
		wait "$daemon" || code=$?
		daemon=
		is "$code" 2 'a budget that nothing holds: it does not start'
		says "$(cat "$dir/log")" "MemoryMax= of tenant 'ann' cannot be held" 'and says why'
	fi
}

# Two daemons of one user lie in the same cgroup, and their tenants are called the same.
test_two() {
	rm -rf "$etc/tenants.d"/* "$etc/quodd.conf"
	tenant ann
	"$quodd" --socket "$dir/other" --config "$etc" >"$dir/other.log" 2>&1 &
	other=$!
	daemon_start --config "$etc"
	hold ann
	for where in "$dir/other" "$socket"; do
		curl -sS -m 60 --retry 20 --retry-connrefused --retry-delay 1 --unix-socket "$where" \
			-H 'Content-Type: application/json' -H 'Authorization: Bearer token-ann' \
			-d '{"source":"1"}' http://quodd/v1/run >"$dir/out"
		is "$(field .status)" ok "one of two daemons: ${where##*/}"
	done
	let_go
	daemon_stop
	kill "$other"
	wait "$other"
}

test_who
test_users
test_policies
test_cgroup
test_queue
test_turns
test_rate
test_reload
test_budget
test_two
test_faults
tap_done
