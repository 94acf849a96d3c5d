#!/bin/sh
# SPDX-License-Identifier: MIT
# On a host that has swap a guest has none: it cannot go on past its memory limit there.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
hog=$QUOD_TEST_BUILD/tests/vm/hog
top=/sys/fs/cgroup

# swapped: kilobytes of swap that are in use.
swapped() {
	awk '$1 == "SwapTotal:" { total = $2 } $1 == "SwapFree:" { free = $2 }
		END { print total - free }' /proc/meminfo
}

fallocate -l 100M /swap
chmod 600 /swap
mkswap /swap >/dev/null
holds 'the host has swap' swapon /swap
# Without quod's limits the same program ends well, with the help of swap.
mkdir $top/other
echo '+memory' >$top/cgroup.subtree_control
echo 11534336 >$top/other/memory.max
code=0
# shellcheck disable=SC2016 # for the inner shell
sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" touch' sh $top/other "$hog" || code=$?
is "$code" 90 'a program with the same memory and swap comes to its end'
rmdir $top/other
swapoff /swap
swapon /swap
is "$(swapped)" 0 'swap is empty'
code=0
"$quod" exec --require-cgroup --memory 1M -- "$hog" touch 2>"$dir/err" || code=$?
is "$code" 137 'a guest does not: memory_limit'
is "$(swapped)" 0 'and not one page of it is swapped out'
swapoff /swap
rm /swap
tap_done
