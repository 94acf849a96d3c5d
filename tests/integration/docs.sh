#!/bin/sh
# SPDX-License-Identifier: MIT
# What README and the man page say is so: limits, keys of the record, exit codes, options.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
readme=$QUOD_TEST_SOURCE/README.md
man=$QUOD_TEST_BUILD/man/installed/quod.1

# limit_rows COLUMN: "name number" for each row of the table of limits.
limit_rows() {
	awk -F '|' -v column="$1" '$2 ~ /`[a-z_]+`/ && $3 ~ /^ [0-9]+ $/ {
		gsub(/[` ]/, "", $2); print $2, $column + 0 }' "$readme"
}

limits_of() {
	"$quod" run -p "$1" -o json -e true | jq -r '.limits | to_entries[] | "\(.key) \(.value)"'
}

is "$(limit_rows 3)" "$(limits_of default)" 'README: the limits of default'
is "$(limit_rows 3)" "$(limits_of open)" 'README: the limits of open'
is "$(limit_rows 4)" "$(limits_of verify)" 'README: the limits of verify'

for key in $("$quod" run -o json -e 1 | jq -r 'keys[]'); do
	holds "README names the key $key" grep -q "\`$key\`" "$readme"
done

for option in $("$quod" run --help | sed -n 's/.* --\([a-z-]*\).*/\1/p'); do
	holds "quod.1 names --$option" grep -q -- "Fl -$option" "$man"
done

for code in 0 1 2 3 4 5 6 7 124 125 130; do
	holds "README lists exit code $code" grep -q "^| $code |" "$readme"
	holds "quod.1 lists exit code $code" grep -qx "\\.It $code" "$man"
done

# The codes of quod exec, and what it has for each.
for code in 124 125 126 127 130 137 152 159; do
	holds "README lists exit code $code of exec" \
		sh -c 'sed -n "/under .quod exec/,\$p" "$1" | grep -q "^| $2 |"' sh "$readme" $code
	holds "quod.1 lists exit code $code of exec" \
		sh -c 'sed -n "/exits as its program/,\$p" "$1" | grep -qx "\.It $2"' sh "$man" $code
done

for page in "$man" "$QUOD_TEST_BUILD/man/installed/quod.policy.5"; do
	holds "durations in $(basename "$page")" sh -c 'tr "\n" " " <"$1" |
		grep -qF "Durations are written like .Li 500ms , .Li 5s or .Li 2m (a bare number is seconds), sizes"' sh "$page"
done
has "$("$quod" run --help)" '500ms, 5s, 5 (seconds)' 'and in the help'

for key in $("$quod" run -o json -e 'eval("1")' | jq -r '.gate.findings[0] | keys[]'); do
	holds "README names the key $key of a finding" grep -q "^| .gate.*\`$key\`" "$readme"
	holds "quod.1 names the key $key of a finding" grep -q "^\.Li.*$key" "$man"
done

# Where policies are, is where the manual that is installed says.
for where in $(env -u QUOD_POLICY_PATH "$quod" version | sed -n 's/^policies *//p' | tr : ' '); do
	holds "the installed quod.policy.5 names $where" \
		grep -qF ".Pa $where/NAME.policy" "$QUOD_TEST_BUILD/man/installed/quod.policy.5"
done
tap_done
