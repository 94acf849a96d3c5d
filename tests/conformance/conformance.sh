#!/bin/sh
# SPDX-License-Identifier: MIT
# Every engine gives for every case what tests/conformance/expected says, no less and no
# more: a feature that is gained changes the list and the table in docs/runtime.md too.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/docs.sh"
. "$QUOD_TEST_SOURCE/tests/engines.sh"
. "$QUOD_TEST_SOURCE/tests/conformance/lib.sh"

is "$(conformance_list | cut -d ' ' -f 1 | sort | uniq -d)" '' 'no id twice'
is "$(awk '{ print $1 }' "$conformance/expected")" \
	"$(conformance_list | cut -d ' ' -f 1)" 'the list has every case, in order'
is "$(awk 'NF != 3 || $2 !~ /^(pass|fail|syntax|refused)$/ ||
	$3 !~ /^(pass|fail|syntax|refused)$/' "$conformance/expected")" '' \
	'the list says one word for each engine'

column=2
for engine in duktape quickjs; do
	if engine_is_tested $engine; then
		conformance_run $engine "$dir"
		awk -v column=$column '{ print $1, $column }' "$conformance/expected" |
			paste -d ' ' - "$dir/results-$engine" >"$dir/both"
		while read -r id expected _ got; do
			is "${got:-nothing}" "$expected" "$id ($engine)"
		done <"$dir/both"
	fi
	column=$((column + 1))
done

is "$(docs_table conformance)" "$(sh "$conformance/table.sh")" 'docs/runtime.md has the table'
tap_done
