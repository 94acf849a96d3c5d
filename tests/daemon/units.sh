#!/bin/sh
# SPDX-License-Identifier: MIT
# The units, without a systemd that runs: what systemd-analyze thinks of them, and that the
# manual knows what may be looked for in the journal.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
units=$QUOD_TEST_BUILD/packaging/systemd
sources=$QUOD_TEST_SOURCE/packaging/systemd
manual=$QUOD_TEST_BUILD/man/installed/quodd.8

# A copy whose program is there, for what looks at that.
mkdir "$dir/units"
cp "$sources/quodd.socket" "$dir/units"
sed "s,^\(Exec[A-Za-z]*=\)[^ ]*/quodd,\1$QUOD_TEST_BUILD/quodd," "$units/quodd.service" \
	>"$dir/units/quodd.service"
has "$(cat "$units/quodd.service")" '/sbin/quodd --config' 'the unit names the installed program'
has "$(cat "$units/user/quodd.service")" '/sbin/quodd --user' "and so does a user's"

is "$(systemd-analyze verify --man=no "$dir/units/quodd.service" "$dir/units/quodd.socket" 2>&1 |
	grep -E 'quodd\.(service|socket)')" '' 'systemd understands each line'

# In tenths: a monitor that makes namespaces is allowed 4.5; the rest of the way to 3.0,
# which a server without privileges is asked for, our server goes by itself.
exposure() {
	systemd-analyze security --offline=true --no-pager "$1" 2>/dev/null |
		sed -n 's/.*Overall exposure level for [^:]*: \([0-9]*\)\.\([0-9]\).*/\1\2/p'
}
found=$(exposure "$dir/units/quodd.service")
holds "quodd.service: exposure ${found:-?}, of at most 32 tenths" test "${found:-99}" -le 32

for line in Type=notify Delegate= WatchdogSec= KillMode=mixed RuntimeDirectoryPreserve=yes; do
	has "$(cat "$units/quodd.service")" "$line" "quodd.service: $line"
done

sed -n 's/^\tX([A-Z_]*, "\([0-9a-f]\{32\}\)".*/\1/p' "$QUOD_TEST_SOURCE/daemon/log.h" >"$dir/ids"
is "$(sort "$dir/ids" | uniq | wc -l)" 6 'each event has an id of its own'
while read -r id; do
	has "$(cat "$manual")" "$id" 'and the manual has it'
done <"$dir/ids"
tap_done
