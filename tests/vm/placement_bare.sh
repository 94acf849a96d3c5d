#!/bin/sh
# SPDX-License-Identifier: MIT
# Where the cgroups of runs are made when there is no systemd: by root, by a user to whom a
# subtree was delegated, in the way of others, and where it cannot be done.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
top=/sys/fs/cgroup
user=1000

# Runs COMMAND in a cgroup: in CGROUP alone, or beside a process that stays there.
alone_in() {
	sh -c 'echo $$ >"$0/cgroup.procs" || exit 99; exec "$@"' "$@"
}

beside_in() {
	sh -c 'echo $$ >"$0/cgroup.procs" || exit 99; "$@"; exit $?' "$@"
}

# As in a container that was given this cgroup.
in_container() {
	container=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	alone_in "$container" unshare -Cm sh -c 'umount "$0" && mount -t cgroup2 none "$0" &&
		exec "$@"' $top "$@"
}

at_once() {
	shift
	"$@"
}

# try HOW CGROUP ARGS...: `quod run -o json ARGS -e 1` there, as root.
try() {
	try_as root "$@"
}

# try_as WHO HOW CGROUP ARGS...
try_as() {
	who=$1 how=$2 where=$3
	shift 3
	set -- "$quod" run -o json "$@" -e 1
	[ "$who" = root ] ||
		set -- setpriv --reuid=$user --regid=$user --clear-groups --inh-caps=-all -- "$@"
	code=0
	$how "$where" "$@" >"$dir/out" 2>"$dir/err" || code=$?
	err=$(cat "$dir/err")
}

held() {
	record_has '.status == "ok" and (.enforced_by | .memory == "cgroup" and
		.cpu == "cgroup" and .processes == "cgroup")' "$1"
}

not_held() {
	record_has '.status == "ok" and (.enforced_by | .memory == "rlimit" and
		.cpu == "supervisor" and .processes == "filter")' "$1"
}

refused() {
	is "$(field .status) $code" 'internal_error 125' "$2"
	has "$(field .error.message)" "$1" "$2: $1"
}

# make NAME: a cgroup with all controllers.
make() {
	mkdir "$top/$1"
	echo '+memory +pids +cpu' >"$top/cgroup.subtree_control"
}

# --- the root of the hierarchy: processes there are in nobody's way ---
run_json -e 1
held 'root of the hierarchy'
run_json --require-cgroup -e 1
held 'root of the hierarchy, required'

# --- alone in a cgroup: we step aside ---
make alone
try alone_in $top/alone --require-cgroup
held 'alone'
is "$(ls -d $top/alone/*/ | tr '\n' ' ')" "$top/alone/quod/ $top/alone/supervisor/ " \
	'alone: a group for runs, and a place for us'
is "$(ls -d $top/alone/quod/*/ 2>/dev/null)" '' 'alone: no leaf is left'
try alone_in $top/alone/supervisor --require-cgroup
held 'alone: the next run starts in the place for supervisors'
try beside_in $top/alone/supervisor --require-cgroup
held 'in the place for supervisors others may be as well'

# --- beside others: we leave them alone, and say so ---
make beside
try beside_in $top/beside
not_held 'beside others'
is "$(cat $top/beside/cgroup.type) $(cat $top/beside/cgroup.subtree_control)" 'domain ' \
	'beside others: their cgroup is as it was'
holds 'beside others: we went back' test ! -d $top/beside/supervisor
try beside_in $top/beside --require-cgroup
refused 'other processes are in that cgroup' 'beside others, required'

# Two starts at once are in each other's way, but not for long. On a slow machine one may
# come too late for the other; it is not in the way of that one's limits then.
make both
for _ in 1 2 3 4 5 6; do
	# shellcheck disable=SC2016 # for the inner shell
	sh -c 'echo $$ >"$0/cgroup.procs"
		"$1" run --require-cgroup -e 1 >"$2/one" 2>&1 &
		exec "$1" run --require-cgroup -e 2 >"$2/two" 2>&1' $top/both "$quod" "$dir"
	while grep -q . $top/both/cgroup.procs $top/both/supervisor/cgroup.procs 2>/dev/null; do
		sleep 0.1
	done
	holds 'two starts at once, alone together' \
		grep -qx '[12]' "$dir/one" "$dir/two"
	is "$(cat "$dir/one" "$dir/two" | grep -v -e '^[12]$' -e 'Resource busy')" '' \
		'two starts at once: nothing else is in the way'
	find $top/both -mindepth 1 -depth -type d -exec rmdir {} \;
	echo '-memory -pids -cpu' >$top/both/cgroup.subtree_control
done

# --- some controllers only ---
make some
mkdir $top/some/in
echo +pids >$top/some/cgroup.subtree_control
try alone_in $top/some/in
record_has '.enforced_by | .processes == "cgroup" and .memory == "rlimit" and
	.cpu == "supervisor"' 'only pids: the record says who holds what'
try alone_in $top/some/in/supervisor --require-cgroup
refused "the cgroup '/some/in' has no memory controller" 'only pids, required'

# In a container that is all there is to see; it is not all that the host has.
try in_container $top/some/in/supervisor --require-cgroup
refused "has no memory controller: Not supported (delegate it" 'only pids, in a container'

# --- delegated to a user ---
make gift
mkdir $top/gift/supervisor
chown $user $top/gift $top/gift/cgroup.procs $top/gift/cgroup.subtree_control \
	$top/gift/supervisor $top/gift/supervisor/cgroup.procs
try_as user alone_in $top/gift/supervisor --require-cgroup
held 'delegated to a user'
try_as user at_once / --require-cgroup
refused 'not delegated to the caller' 'a user outside of it'
try_as user at_once / --cgroup $top/gift
refused 'start it below the delegated cgroup' 'a user who names it from outside'
try alone_in $top/gift/supervisor --require-cgroup
refused "belongs to uid $user: Operation not permitted (who owns it" 'a group that another user owns'

# --- a directory that root names ---
make named
try at_once / --cgroup $top/named --require-cgroup
held 'named'
sleep 1000 &
sleeper=$!
make crowded
echo $sleeper >$top/crowded/cgroup.procs
try at_once / --cgroup $top/crowded
not_held 'named, with processes in it'
try at_once / --cgroup $top/crowded --require-cgroup
refused 'other processes are in that cgroup' 'named, with processes in it, required'
holds 'named: the processes there are not moved' grep -q "^$sleeper\$" $top/crowded/cgroup.procs

# --- no more cgroups ---
make full
echo 0 >$top/full/cgroup.max.descendants
try at_once / --cgroup $top/full
refused 'cgroup.max.descendants' 'no more cgroups'

# --- the limits stand in the leaf, and somebody else's process does not keep it ---
make leaf
"$quod" run --cgroup $top/leaf --memory 8M -o ndjson \
	-e 'console.log("up"); setTimeout(function () {}, 3000); 1' >"$dir/events" &
pid=$!
await_line "$dir/events" '"up"'
leaf=$(echo $top/leaf/quod/01*)
is "$(cd "$leaf" && cat memory.max memory.swap.max memory.oom.group pids.max cpu.max |
	tr '\n' ' ')" '18874368 0 1 1 100000 100000 ' 'memory, swap, oom.group, pids, cpu in the leaf'
is "$(cat "$leaf/cgroup.procs")" "$(child_of $pid)" 'in it is the guest, and not quod'
echo max >"$leaf/pids.max"
echo $sleeper >"$leaf/cgroup.procs"
code=0
wait $pid || code=$?
is "$code" 0 'a run in whose leaf somebody else has put a process'
holds 'its leaf is gone' test ! -d "$leaf"
holds 'and so is the process' test ! -d /proc/$sleeper

# --- what does not die ---
# A task that the freezer of cgroup v1 holds does not even die.
mkdir "$dir/freezer"
holds 'there is a freezer' mount -t cgroup -o freezer none "$dir/freezer"
mkdir "$dir/freezer/ice"
rm "$dir/events"
"$quod" run --cgroup $top/leaf --timeout 4s -o ndjson -e 'console.log("up"); for (;;);' \
	>"$dir/events" 2>"$dir/err" &
pid=$!
await_line "$dir/events" '"up"'
guest=$(child_of $pid)
leaf=$(echo $top/leaf/quod/01*)
echo "$guest" >"$dir/freezer/ice/cgroup.procs"
echo FROZEN >"$dir/freezer/ice/freezer.state"
code=0
wait $pid || code=$?
tail -n 1 "$dir/events" >"$dir/out"
ends_as internal_error 125 'a guest that does not die'
has "$(field .error.message)" 'still is not dead' 'it is said'
is "$(cat "$leaf/cgroup.procs")" "$guest" 'it is left in its leaf'
run_json --cgroup $top/leaf -e 1
is "$code" 0 'runs beside it go on'
holds 'and leave it there' test -d "$leaf"
is "$(stat -c %a "$leaf")" 500 'marked, so that the next do not wait for it'
echo THAWED >"$dir/freezer/ice/freezer.state"
await_gone "$guest"
run_json --cgroup $top/leaf -e 1
holds 'once it is dead the next start removes its leaf' test ! -d "$leaf"
rmdir "$dir/freezer/ice"
umount "$dir/freezer"

is "$(find $top -path '*/quod/01*' -type d)" '' 'no leaf is left anywhere'
tap_done
