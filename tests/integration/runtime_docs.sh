#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/runtime.md is true: its table of differences is the one that the cases name, and the
# globals and the methods of console are those that a script finds.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/docs.sh"
. "$QUOD_TEST_SOURCE/tests/engines.sh"
js=$QUOD_TEST_SOURCE/tests/js

is "$(docs_table differences)" "$(sh "$js/differences.sh")" 'the table of differences'
is "$(sed -n '/^#/d; s/ | .*//p' "$js/differences.txt" | sort)" \
	"$(sed -n 's/^why: //p' "$js"/*.cases | sort -u)" 'every difference has its cases'

# words_of TABLE COLUMN: what stands in backticks, one a line, in rows whose COLUMN is yes
words_of() {
	docs_table "$1" | awk -F '|' -v column="$2" '$column ~ /yes/ { print $2 }' |
		grep -o '`[^`]*`' | tr -d '`' | grep -v = | LC_ALL=C sort
}

is "$("$quod" version | sed -n 's/^engines *//p')" "$QUOD_TEST_ENGINES" \
	'quod version names the engines'

names='Object.getOwnPropertyNames(globalThis).sort().join("\n")'
column=3
for engine in duktape quickjs; do
	if engine_is_tested $engine; then
		run -p open --engine $engine -e "$names"
		is "$(words_of globals $column)" "$out" "the globals of $engine"
		run --engine $engine -e 'Object.getOwnPropertyNames(console).join("\n")'
		is "$(docs_table console | sed -n 's/^| `\([a-z]*\)`.*/\1/p')" "$out" \
			"the methods of console on $engine"
	fi
	column=$((column + 1))
done
tap_done
