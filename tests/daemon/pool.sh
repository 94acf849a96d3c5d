#!/bin/sh
# SPDX-License-Identifier: MIT
# Warm jails: one run each and nobody else's, the same limits as any other jail has, none
# that becomes old, none that outlives its daemon, none that is missed.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"

# jails: the processes of all jails, one a line.
jails() {
	jails_of "$daemon"
}

count() {
	jails | wc -l
}

# await_jails N: until there are so many, and each waits for a job.
await_jails() {
	for _ in $(seq 1500); do
		await_asleep=0
		for await_jail in $(jails); do
			[ "$(awk '{ print $3 $2 }' "/proc/$await_jail/stat" 2>/dev/null)" != 'S(quod-js)' ] ||
				await_asleep=$((await_asleep + 1))
		done
		[ "$await_asleep $(count)" != "$1 $1" ] || return 0
		sleep 0.02
	done
	return 1
}

# want_jails N NAME
want_jails() {
	if await_jails "$1"; then
		pass "$2"
	else
		fail "$2" "there are $(count): $(jails)
$(cat "$dir/log")"
	fi
}

# configure LINES...: of [Pool] in quodd.conf.
configure() {
	mkdir -p "$dir/config"
	printf '%s\n' '[Pool]' "$@" >"$dir/config/quodd.conf"
}

# took PID NAME: that jail has had its run, and ends.
took() {
	if await_dead "$1"; then
		pass "$2"
	else
		fail "$2" "jail $1 is still there
$(cat "$dir/out")"
	fi
}

test_demand() {
	daemon_start
	is "$(count)" 0 'without demand there is none'
	post '{"source":"1"}' /v1/run
	want_jails 1 'after the first run one waits for the next'
	first=$(jails)
	post '{"source":"globalThis.left = 7; Object.prototype.left = 8; 1"}' /v1/run
	is "$(field .status)" ok 'a run in a warm jail'
	conforms Record 'a run in a warm jail'
	took "$first" 'it was that one'
	record_has '.usage.setup_ms >= 0 and .started_at > "2020"' 'with times of its own'
	want_jails 1 'another takes its place'
	holds 'which is another process' test "$(jails)" != "$first"
	second=$(jails)
	post '{"source":"typeof left + typeof ({}).left"}' /v1/run
	is "$(field .value)" undefinedundefined 'what one run leaves the next does not find'
	took "$second" 'in the next jail'
}

# The jail's cgroup has the last 16 characters of the run's id in its name.
test_name() {
	want_jails 1 'one waits'
	named=$(sed -n 's|.*/\([0-9A-Z]*\)\.run$|\1|p' "/proc/$(jails)/cgroup" | head -n 1)
	post '{"source":"1"}' /v1/run
	if [ -z "$named" ]; then
		pass 'there is no cgroup here'
		return
	fi
	id=$(field .id)
	is "${id#??????????}" "${named#??????????}" 'the id of a run leads to its cgroup'
	holds 'its time is its own' test "${id%????????????????}" != "${named%????????????????}"
}

# A policy's jail serves no other policy.
test_policies() {
	want_jails 1 'one waits'
	default=$(jails)
	post '{"source":"true","policy":"verify"}' /v1/run
	is "$(field .status)" ok 'a run of another policy'
	want_jails 2 'does not take it, and gets one of its own'
	verify=$(jails | grep -vx "$default")
	post '{"source":"true","policy":"verify"}' /v1/run
	took "$verify" 'which the next run of that policy takes'
	holds 'the other is still there' test -d "/proc/$default"
}

# Jails of a monitor that may enter mount namespaces begin in one template, in which there
# is nothing; each has mounts of its own all the same. Only real root is such a monitor.
test_template() {
	setpriv --reuid=12345 --clear-groups true 2>/dev/null || return 0
	want_jails 2 'two wait'
	is "$(for jail in $(jails); do stat -L -c %d "/proc/$jail/root"; done | uniq | wc -l)" 1 \
		'their roots are of one template'
	is "$(for jail in $(jails); do readlink "/proc/$jail/ns/mnt"; done | uniq -d)" '' \
		'their mount namespaces are two'
	is "$(for jail in $(jails); do ls -A "/proc/$jail/root" "/proc/$jail/root/.."; done | grep -v '^/proc\|^$')" '' \
		'and there is nothing in them'
}

# A tenant's jail serves no other tenant, whatever he asks for.
test_tenants() {
	configure 'ExpireSec=10m'
	mkdir -p "$dir/config/tenants.d"
	for name in ann bob; do
		printf '[Tenant]\nTokenSHA256=%s\n' "$(printf %s "$name" | sha256sum | cut -d' ' -f1)" \
			>"$dir/config/tenants.d/$name.conf"
	done
	daemon_start --config "$dir/config"
	post '{"source":"1"}' /v1/run -H 'Authorization: Bearer ann'
	want_jails 1 "one waits for ann's next run"
	anns=$(jails)
	post '{"source":"1"}' /v1/run -H 'Authorization: Bearer bob'
	is "$(field .status) $(field .tenant)" 'ok bob' 'a run of another tenant'
	want_jails 2 'does not take it, and he gets one of his own'
	holds "ann's is still there" test -d "/proc/$anns"
	post '{"source":"1"}' /v1/run -H 'Authorization: Bearer ann'
	took "$anns" 'which her next run takes'
	want_jails 2 'and another waits for her'
	kill -HUP "$daemon"
	want_jails 0 'of another configuration none is used'
	daemon_stop
	rm -r "$dir/config/tenants.d"
}

# Wall and CPU time can be lower in a warm jail; what only a start can set cannot.
test_limits() {
	want_jails 2 'one waits for each'
	post '{"source":"for(;;);","limits":{"wall_ms":200}}' /v1/run
	took "$default" 'a run with less wall time takes a warm jail'
	is "$(field .status)" timeout 'and has no more'
	record_has '.limits.wall_ms == 200 and .usage.wall_ms >= 200 and .usage.wall_ms < 5000' \
		'than it asked for'
	want_jails 2 'the next one waits'
	post '{"source":"for(;;);","limits":{"cpu_ms":100,"wall_ms":4000}}' /v1/run
	is "$(field .status)" cpu_limit 'a run with less CPU time'
	record_has '.limits.cpu_ms == 100 and .usage.cpu_ms >= 100 and .usage.cpu_ms < 5000' \
		'has no more than it asked for'
	want_jails 2 'the next one waits'
	before=$(jails)
	post '{"source":"1","limits":{"memory_bytes":8388608}}' /v1/run
	is "$(field .status)" ok 'a run with less memory'
	record_has '.limits.memory_bytes == 8388608' 'has that'
	is "$(jails)" "$before" 'and a jail of its own'
	post '{"source":"1","limits":{"cpu_percent":50}}' /v1/run
	is "$(field .status) $(jails | tr '\n' ' ')" "ok $(echo "$before" | tr '\n' ' ')" \
		'so has one with a smaller share of the CPU'
	post '{"source":"f(1); function f(n) { return f(n + 1) }","limits":{"stack_frames":50}}' /v1/run
	is "$(field .status) $(field .error.name)" 'error RangeError' \
		'limits that the interpreter holds are those of the job'
}

# How much a script can have is the same in both kinds of jail.
test_memory() {
	for number in 1 2; do
		daemon_start
		for items in 100000 200000 300000 400000; do
			[ "$pool" = 0 ] || {
				post '{"source":"1"}' /v1/run
				await_jails 1
			}
			post '{"source":"var a = []; for (var i = 0; i < input; i++) a.push(\"text \" + i); a.length","input":'$items'}' /v1/run
			printf '%s ' "$(field .status)"
		done >"$dir/fits$number"
		daemon_stop
		pool=0
	done
	pool=4
	is "$(cat "$dir/fits1")" "$(cat "$dir/fits2")" 'as much fits into a warm jail as into another'
	has "$(cat "$dir/fits1")" memory_limit 'and no more'
	has "$(cat "$dir/fits1")" ok 'nor less'
}

test_death() {
	daemon_start
	post '{"source":"1"}' /v1/run
	want_jails 1 'one waits'
	victim=$(jails)
	kill -KILL "$victim" 2>/dev/null || {
		pass 'it belongs to another user'
		daemon_stop
		return
	}
	for _ in $(seq 500); do
		! grep -q 'a warm jail is lost' "$dir/log" || break
		sleep 0.02
	done
	has "$(cat "$dir/log")" 'it has ended before it had a run' 'the death of one is noticed'
	want_jails 1 'and another is made, a while later'
	post '{"source":"1"}' /v1/run
	is "$(field .status)" ok 'which serves'
	# Dead, and asked for at the same moment.
	want_jails 1 'one waits'
	kill -STOP "$server"
	kill -KILL "$(jails)"
	curl -sS -m 60 --unix-socket "$socket" -H 'Content-Type: application/json' \
		-d '{"source":"2"}' http://quodd/v1/run >"$dir/out" 2>&1 &
	client=$!
	await_jails 0
	kill -CONT "$server"
	wait "$client"
	is "$(field .status)" ok 'a run does not get a dead one'
	daemon_stop
}

test_age() {
	configure 'Least=1' 'ExpireSec=1s'
	daemon_start --config "$dir/config"
	get /v1/policies
	policies=$(field '.policies | length')
	want_jails "$policies" 'the least waits without demand, for each policy'
	old=$(jails)
	for jail in $old; do
		took "$jail" 'one that is old goes'
	done
	want_jails "$policies" 'and the least is kept'
	for jail in $old; do
		holds 'by new ones' test ! -d "/proc/$jail"
	done
	daemon_stop
	is "$code" 0 'it ends in order'
	for jail in $(jails 2>/dev/null); do
		holds 'and takes them along' test ! -d "/proc/$jail"
	done
	configure 'ExpireSec=1s'
	daemon_start --config "$dir/config"
	post '{"source":"1"}' /v1/run
	want_jails 1 'one waits after a run'
	want_jails 0 'and where no other comes it goes'
	daemon_stop
}

test_ends() {
	for victim in server monitor both; do
		configure 'Least=2'
		daemon_start --config "$dir/config"
		want_jails $((2 * policies)) 'some wait'
		left=$(jails)
		case $victim in
		server) kill -KILL "$server" ;;
		monitor) kill -KILL "$daemon" ;;
		both) kill -KILL "$daemon" "$server" ;;
		esac
		wait "$daemon" 2>/dev/null
		daemon=
		for jail in $left; do
			took "$jail" "SIGKILL, $victim: no warm jail is left"
		done
	done
}

test_off() {
	pool=0
	daemon_start
	post '{"source":"1"}' /v1/run
	post '{"source":"1"}' /v1/run
	is "$(field .status) $(count)" 'ok 0' 'without a pool none is made'
	daemon_stop
}

pool=4
test_demand
test_name
test_policies
test_template
test_limits
daemon_stop
is "$code" 0 'it ends in order'
test_tenants
test_memory
test_death
test_age
test_ends
test_off
tap_done
