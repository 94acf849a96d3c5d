#!/bin/sh
# SPDX-License-Identifier: MIT
# Killed for want of memory, but not of its own: that is no memory_limit. The kill comes from
# a cgroup above, with quod beside the guests in it, and from the host.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
hog=$QUOD_TEST_BUILD/tests/vm/hog
top=/sys/fs/cgroup
below=$top/below
inside=$top/inside
echo '+memory +pids +cpu' >$top/cgroup.subtree_control
mkdir $below $inside $inside/supervisor

# in_it COMMAND...: quod beside its guests.
in_it() {
	# shellcheck disable=SC2016 # for the inner shell
	timeout -k 5 60 sh -c 'echo $$ >"$0/supervisor/cgroup.procs" && exec "$@"' $inside "$@"
}

echo 8388608 >$below/memory.max
echo 8388608 >$inside/memory.max
code=0
"$quod" exec --cgroup $below --require-cgroup --memory 32M -- "$hog" touch 2>"$dir/err" ||
	code=$?
is "$code" 125 'the memory of a cgroup above: internal_error'
has "$(cat "$dir/err")" 'the memory limit of the' 'it is said whose memory it was'
code=0
in_it "$quod" exec --require-cgroup --memory 32M -- "$hog" touch 2>"$dir/err" || code=$?
is "$code" 125 'quod in that cgroup as well: it survives the guest and says the same'
has "$(cat "$dir/err")" 'the memory limit of the' 'whose memory it was'
echo max >$inside/memory.max
code=0
in_it "$quod" exec --require-cgroup --memory 1M -- "$hog" touch 2>"$dir/err" || code=$?
is "$code" 137 'the memory of its own: memory_limit'

# The kernel is told to look for a victim, as it would if there were no memory left.
"$quod" run --require-cgroup -o ndjson -e 'console.log("up"); for (;;);' >"$dir/events" \
	2>"$dir/err" &
pid=$!
await_line "$dir/events" '"up"'
echo f >/proc/sysrq-trigger
code=0
wait $pid || code=$?
tail -n 1 "$dir/events" >"$dir/out"
ends_as internal_error 125 'the memory of the host'
has "$(field .error.message)" 'the memory of the host' 'it is said whose memory it was'
record_has '.kill.by == "kernel" and .kill.signal == "SIGKILL"' 'the kernel killed it'
rmdir $below/quod $below $inside/quod $inside/supervisor $inside
is "$(find $top -path '*/quod/01*' -type d)" '' 'no leaf is left'
tap_done
