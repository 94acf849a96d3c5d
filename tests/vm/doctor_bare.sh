#!/bin/sh
# SPDX-License-Identifier: MIT
# quod doctor where it needs a kernel of its own: cgroups of version 2, clock sources, swap.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/integration/finds.sh"
top=/sys/fs/cgroup
clocks=/sys/devices/system/clocksource/clocksource0
set -- "$quod" doctor -o json

# Runs COMMAND in a cgroup: in CGROUP alone, or beside a process that stays there.
alone_in() {
	sh -c 'echo $$ >"$0/cgroup.procs" || exit 99; exec "$@"' "$@"
}

beside_in() {
	sh -c 'echo $$ >"$0/cgroup.procs" || exit 99; "$@"; exit $?' "$@"
}

make() {
	mkdir "$top/$1"
	echo '+memory +pids +cpu' >"$top/cgroup.subtree_control"
}

# --- controllers ---
for each in memory pids cpu; do
	finds "$each controller" works "$each limits are held by the cgroup" '' "root of the hierarchy: $each" "$@"
done
make apart
finds 'cpu controller' works cgroup '' 'alone in a cgroup' alone_in $top/apart "$@"
make beside
finds 'memory controller' less 'busy' "subgroup 'supervisor'" 'other processes are in it' \
	beside_in $top/beside "$@"
record_has '.probes[] | select(.name == "memory controller") | .instead | contains("RLIMIT_DATA")' \
	'what holds memory then'
make part
mkdir $top/part/in
echo '+memory +pids' >$top/part/cgroup.subtree_control
finds 'cpu controller' less 'has no cpu controller' 'Delegate=yes' 'one that is not handed down' \
	alone_in $top/part/in "$@"
finds 'cgroup v2' less 'Permission denied' 'systemd-run --user --scope -p Delegate=yes' 'a user to whom nothing is delegated' \
	setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all -- "$@"
# shellcheck disable=SC2016 # for the inner shell
finds 'cgroup v2' less Read-only 'mount them read-write' 'cgroups that are read-only' \
	unshare -m sh -c 'mount -o remount,bind,ro "$0" && exec "$@"' $top "$@"
# shellcheck disable=SC2016 # for the inner shell
finds 'cgroup v2' less 'no cgroup v2 at' '' 'no cgroups in sight' \
	unshare -m sh -c 'mount -t tmpfs none "$0" && exec "$@"' $top "$@"
make threads
mkdir $top/threads/in
echo threaded >$top/threads/in/cgroup.type
finds 'cgroup v2' less "threaded" "cgroup.type is 'domain'" 'one whose threads are spread' alone_in $top/threads "$@"

# --- processes ---
make few
echo 3 >$top/few/pids.max
finds processes less 'only 2 can be' "pids.max is reached: echo max >'/sys/fs/cgroup/few/pids.max'" \
	'few processes in a cgroup' alone_in $top/few "$@"

# --- descriptors: what doctor says a run needs is enough where all limits are held ---
alone_in $top/apart/supervisor sh -c 'ulimit -n 32; exec "$@"' sh "$quod" run --require-cgroup -o json -e 1 >"$dir/out"
is "$(field .status)" ok '32 descriptors do for a run with a cgroup'

# --- clock sources ---
before=$(cat $clocks/current_clocksource)
slow=
for each in hpet acpi_pm; do
	! grep -qw $each $clocks/available_clocksource || slow=$each
done
echo "# clock sources: $(cat $clocks/available_clocksource), now $before"
echo "$slow" >$clocks/current_clocksource
finds clock less "the clock source '$slow' cannot" "clocksource" 'a clock that only the kernel can read' "$@"
record_has '.probes[] | select(.name == "clock") | .instead | contains("slower")' 'costs time and no limit'
if grep -qw tsc $clocks/available_clocksource; then
	echo tsc >$clocks/current_clocksource
	finds clock works "the clock source 'tsc' can" '' 'what mends it does' "$@"
fi
echo "$before" >$clocks/current_clocksource

# --- swap ---
fallocate -l 20M /swap
chmod 600 /swap
mkswap /swap >/dev/null
swapon /swap
finds swap works 'memory.swap.max is 0' '' 'swap, which every run is kept from' "$@"
finds swap less 'no cgroup of a run has memory.swap.max' 'swapoff -a' 'where it is not' beside_in $top/beside "$@"
swapoff /swap
rm /swap
tap_done
