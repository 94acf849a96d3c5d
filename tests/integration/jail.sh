#!/bin/sh
# SPDX-License-Identifier: MIT
# What the kernel says of a run while it runs: quod itself, which reads hostile frames, and
# the interpreter in its jail. What the jail lets through is tested in tests/escape.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
inmate=$QUOD_TEST_BUILD/tests/escape/inmate
none=0000000000000000

# start COMMAND...: in the background, until its first line is there; $pid and $guest. What
# is looked at is copied at once: a guest has only so much time.
start() {
	mkfifo "$dir/fifo"
	"$@" >"$dir/fifo" 2>"$dir/err" &
	pid=$!
	# Kept open: a reader that goes would end the run.
	exec 3<"$dir/fifo"
	read -r _ <&3
	rm "$dir/fifo"
	guest=$(cut -d ' ' -f 1 "/proc/$pid/task/$pid/children")
	for process in "$pid" "$guest"; do
		mkdir "$dir/$process"
		cp "/proc/$process/status" "/proc/$process/oom_score_adj" "$dir/$process"
		ls -l "/proc/$process/ns" >"$dir/$process/ns" 2>/dev/null
	done
}

# namespace PID KIND: nothing where we may not look.
namespace() {
	sed -n "s/.* $2 -> //p" "$dir/$1/ns"
}

# of PID KEY: that line of the process's status.
of() {
	sed -n "s/^$2:[[:space:]]*//p" "$dir/$1/status" | tr '\t' ' '
}

# confined PID NAME
confined() {
	is "$(of "$1" Seccomp) $(of "$1" NoNewPrivs)" '2 1' "$2: a filter, no new privileges"
	is "$(of "$1" CapEff) $(of "$1" CapPrm) $(of "$1" CapAmb)" "$none $none $none" \
		"$2: no capabilities"
	is "$(of "$1" Threads)" 1 "$2: one thread"
}

# jailed NAME: $guest is.
jailed() {
	confined "$guest" "$1"
	is "$(of "$guest" CapBnd) $(of "$guest" CapInh)" "$none $none" "$1: none that could come back"
	is "$(of "$guest" NSpid)" "$guest 1" "$1: process 1 of a pid namespace of its own"
	is "$(cat "$dir/$guest/oom_score_adj")" 1000 "$1: the first to go when memory is short"
}

# own_ids NAME: in root mode no id of a jail is the caller's, or 0, or in two jails.
own_ids() {
	ids="$(of "$guest" Uid) $(of "$guest" Gid)"
	id=${ids%% *}
	is "$ids" "$id $id $id $id $id $id $id $id" "$1: one id, for all purposes"
	if "$quod" doctor | grep -q '^ids *works'; then
		is "$(of "$guest" Groups | tr -d ' ')" '' "$1: no group besides"
		[ "$id" -ge 100000 ] && pass "$1: a host id of its own" || fail "$1: a host id of its own" "$id"
	else
		is "$id" "$(id -u)" "$1: the caller's own id, rootless"
	fi
}

start "$quod" run -o ndjson -e 'console.log("now"); for (;;);'
confined "$pid" quod
is "$(of "$pid" Uid | cut -d ' ' -f 1)" "$(id -u)" 'quod is still its caller'
jailed quod-js
is "$(of "$guest" Seccomp_filters)" 2 'quod-js: two filters'
own_ids quod-js
if [ -n "$(namespace "$guest" net)" ]; then
	for kind in user pid net mnt ipc uts cgroup; do
		if [ "$(namespace "$guest" $kind)" != "$(namespace "$pid" $kind)" ]; then
			pass "quod-js: a $kind namespace of its own"
		else
			fail "quod-js: a $kind namespace of its own"
		fi
	done
fi
first_id=$id
first_pid=$pid
exec 4<&3
start "$quod" exec -- "$inmate" pause
confined "$pid" 'quod exec'
jailed inmate
own_ids inmate
if [ "$id" != "$(id -u)" ]; then
	[ "$id" != "$first_id" ] && pass 'two jails have two ids' || fail 'two jails have two ids' "$id"
fi
kill -TERM "$pid" "$first_pid"
wait "$pid" "$first_pid"
tap_done
