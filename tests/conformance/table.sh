#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of tests/conformance/expected, as docs/runtime.md has it. `table.sh write`
# puts it there, between its markers.
set -eu
: "${QUOD_TEST_SOURCE:=.}"
. "$QUOD_TEST_SOURCE/tests/docs.sh"
. "$QUOD_TEST_SOURCE/tests/conformance/lib.sh"

table() {
	conformance_list | awk -F ' \\| ' -v expected="$conformance/expected" '
		BEGIN {
			while ((getline line < expected) > 0) {
				split(line, word, " ")
				duktape[word[1]] = word[2]
				quickjs[word[1]] = word[3]
			}
			print ""
			print "| edition | feature | duktape | quickjs |"
			print "|---|---|---|---|"
		}
		{
			gsub(/[*_<>`]/, "\\\\&", $3)
			gsub(/\|/, "\\|", $3)
			printf "| %s | %s | %s | %s |\n", $2, $3, duktape[$1], quickjs[$1]
			n++
			d += duktape[$1] == "pass"
			q += quickjs[$1] == "pass"
		}
		END {
			print ""
			printf "%d cases; pass: %d on duktape, %d on quickjs.\n", n, d, q
			print ""
		}'
}

if [ "${1:-}" = write ]; then
	table | docs_write conformance
else
	table
fi
