#!/bin/sh
# SPDX-License-Identifier: MIT
# The last test of a guest: after all the others nothing of quod's is there.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
top=/sys/fs/cgroup

is "$(find $top -path '*/quod/*' -type d)" '' 'no leaf'
is "$(ps -e -o comm= | grep -xE 'quod|quod-js|quod-scope|inmate|hog|parrot|liar')" '' 'no process'
is "$(ps -e -o stat=,comm= | grep '^Z')" '' 'no zombie'
is "$(grep -c quod /proc/self/mountinfo)" "$(grep -c ' /srv/quod ' /proc/self/mountinfo)" 'no mount'
# Empty ones that the kernel keeps for a page or two: told, because nobody can promise 0.
printf '# dying cgroups: %s\n' "$(sed -n 's/^nr_dying_descendants //p' $top/cgroup.stat)"
tap_done
