#!/bin/sh
# SPDX-License-Identifier: MIT
# What a killed quod leaves: nothing that runs, and after the next start nothing at all.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

# leaf_of PID: the directory of its cgroup, if that is a leaf of quod's.
leaf_of() {
	sed -n 's|^0::/||p' "/proc/$1/cgroup" 2>/dev/null | grep 'quod/01' |
		while read -r path; do
			for mount in /sys/fs/cgroup /sys/fs/cgroup/unified; do
				[ ! -d "$mount/$path" ] || echo "$mount/$path"
			done
		done
}

# start_until_gone DIR OPTIONS...: a start waits a tenth of a second for what it has killed,
# and the next one comes back to it.
start_until_gone() {
	gone_dir=$1
	shift
	for _ in $(seq 40); do
		[ ! -d "$gone_dir" ] || "$quod" run "$@" -e 1 >/dev/null
	done
}

all=
for signal in KILL ALRM XCPU; do
	rm -f "$dir/events"
	"$quod" run -o ndjson -e 'console.log("up"); for (;;);' >"$dir/events" &
	pid=$!
	await_line "$dir/events" '"up"'
	guest=$(child_of $pid)
	all="$all $(leaf_of "$guest")"
	kill -$signal $pid
	wait $pid 2>/dev/null
	await_gone "$guest"
	holds "SIG$signal of quod ends its guest" test ! -d "/proc/$guest"
done
"$quod" run -e 1 >/dev/null
for leaf in $all; do
	holds 'the next start leaves no leaf of theirs' test ! -d "$leaf"
done

# A leaf in use is not swept away under it.
rm "$dir/events"
"$quod" run -o ndjson -e 'console.log("up"); setTimeout(function () {}, 1500); true' >"$dir/events" &
pid=$!
await_line "$dir/events" '"up"'
leaf=$(leaf_of "$(child_of $pid)")
"$quod" run -e 1 >/dev/null
code=0
wait $pid || code=$?
is "$code" 0 'a start beside a run does it no harm'
holds 'and its leaf is gone with it' test ! -d "${leaf:-/nonexistent}"

# What still lives in a leaf whose supervisor is dead is killed: here, something that a
# lifeline could not reach. Where we may make no cgroup there is nothing to sweep.
group=
for mount in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	own=$mount$(sed -n 's/^0:://p' /proc/self/cgroup)
	[ ! -w "${own%/supervisor}/quod" ] || group=${own%/supervisor}/quod
done
if [ -n "$group" ]; then
	mkdir "$group/01SWEEP.run"
	sleep 1000 &
	sleeper=$!
	echo $sleeper >"$group/01SWEEP.run/cgroup.procs"
	start_until_gone "$group/01SWEEP.run"
	holds 'a leaf that nobody watches is gone' test ! -d "$group/01SWEEP.run"
	code=0
	wait $sleeper || code=$?
	is "$code" 137 'and what lived in it was killed'

	# What is not named as a leaf is somebody else's: a service of his, the runs of another
	# quod below a cgroup that he has called `quod`.
	mkdir -p "$group/quod" "$group/service"
	sleep 1000 &
	sleeper=$!
	echo $sleeper >"$group/service/cgroup.procs"
	rm "$dir/events"
	"$quod" run --cgroup "$group" -o ndjson -e 'console.log("up"); setTimeout(function () {}, 1500)' \
		>"$dir/events" &
	pid=$!
	await_line "$dir/events" '"up"'
	"$quod" run -e 1 >/dev/null
	code=0
	wait $pid || code=$?
	is "$code" 0 'runs in a group below the group live on'
	holds 'and so does a service in it' kill -0 $sleeper
	kill $sleeper
	wait $sleeper 2>/dev/null
	rmdir "$group/quod" "$group/service"

	# Many that live do not hide a dead one that lies last in the directory.
	mkdir -p "$group/many/quod"
	for i in $(seq 70); do
		mkdir "$group/many/quod/01MANY$i.run"
	done
	dead=$(find "$group/many/quod" -name '*.run' -printf '%f\n' | tail -n 1)
	keepers=
	for leaf in "$group"/many/quod/*.run; do
		[ "${leaf##*/}" != "$dead" ] || continue
		flock --no-fork "$leaf" sleep 1000 &
		keepers="$keepers $!"
	done
	for leaf in "$group"/many/quod/*.run; do
		[ "${leaf##*/}" != "$dead" ] || continue
		until ! flock --nonblock "$leaf" true; do sleep 0.02; done
	done
	start_until_gone "$group/many/quod/$dead" --cgroup "$group/many"
	holds 'a leaf that nobody watches is gone from among many' \
		test ! -d "$group/many/quod/$dead"
	is "$(find "$group/many/quod" -name '01MANY*.run' | wc -l)" 69 'and only that one'
	for keeper in $keepers; do
		kill "$keeper"
		wait "$keeper" 2>/dev/null
	done
	rmdir "$group"/many/quod/*.run "$group/many/quod" "$group/many"
fi

tap_done
