#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of tests/js/differences.txt, as docs/runtime.md has it. `differences.sh write`
# puts it there.
set -eu
: "${QUOD_TEST_SOURCE:=.}"
. "$QUOD_TEST_SOURCE/tests/docs.sh"

table() {
	printf '\n| what | duktape | quickjs | why |\n|---|---|---|---|\n'
	sed -n '/^#/d; s/^[a-z0-9-]* | \(.*\)$/| \1 |/p' "$QUOD_TEST_SOURCE/tests/js/differences.txt"
	printf '\n'
}

if [ "${1:-}" = write ]; then
	table | docs_write differences
else
	table
fi
