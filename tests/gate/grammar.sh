#!/bin/sh
# SPDX-License-Identifier: MIT
# Every construct of the grammar passes through the gate: grammar.js holds all the nodes
# that the grammar names, and a rule for each of them finds it.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

gate=$QUOD_TEST_BUILD/tests/gate/gate
nodes=$QUOD_TEST_BUILD/tests/gate/nodes
source=$QUOD_TEST_SOURCE/tests/gate/grammar.js

sed 's/.*/& syntax &/' "$nodes" >"$dir/rules"
"$gate" --rules "$dir/rules" "$source" >"$dir/told" 2>&1
is $? 0 'a source with every construct is read'
is "$(grep -c . "$nodes" | awk '{ print ($1 > 100) }')" 1 'the grammar names its nodes'
awk '$1 ~ /^[0-9]+:[0-9]+$/ { print $3 }' "$dir/told" | LC_ALL=C sort -u >"$dir/found"
is "$(LC_ALL=C sort -u "$nodes" | diff - "$dir/found")" '' 'each node of the grammar is found'
is "$(sed -n 's/.* left //p' "$dir/told")" 0 'no memory is kept'

"$gate" --builtin "$source" >"$dir/told" 2>&1
is $? 0 'with the built-in rules as well'

# Cut anywhere, and with anything taken out, it passes too.
size=$(wc -c <"$source")
at=1 bad=
while [ $at -lt "$size" ]; do
	head -c $at "$source" | "$gate" --builtin >"$dir/told" 2>&1 || bad="$bad head $at"
	tail -c +$at "$source" | "$gate" --builtin >"$dir/told" 2>&1 || bad="$bad tail $at"
	at=$((at + 29))
done
is "$bad" '' 'cut anywhere'
line=1 bad=
while [ $line -le "$(wc -l <"$source")" ]; do
	sed "${line}d" "$source" | "$gate" --builtin >"$dir/told" 2>&1 || bad="$bad $line"
	line=$((line + 1))
done
is "$bad" '' 'without any one of its lines'
tap_done
