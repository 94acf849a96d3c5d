#!/bin/sh
# SPDX-License-Identifier: MIT
# The gate's findings in small sources, exactly: names.cases says how the files are written.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

here=$QUOD_TEST_SOURCE/tests/gate
gate=$QUOD_TEST_BUILD/tests/gate/gate

# write_source TEXT: with {{N:TEXT}}, and characters by their names, written out.
write_source() {
	printf '%s\n' "$1" | awk '
	BEGIN {
		character["nl"] = "\n"; character["cr"] = "\r"; character["vt"] = "\v"
		character["ls"] = "\342\200\250"; character["nel"] = "\302\205"
		character["zwsp"] = "\342\200\213"; character["mvs"] = "\341\240\216"
		character["nul"] = "\001NUL\001"
	}
	{
		while (match($0, /\{\{[^{}]+\}\}/)) {
			whole = substr($0, RSTART + 2, RLENGTH - 4)
			many = ""
			if (whole in character)
				many = character[whole]
			else {
				text = substr(whole, index(whole, ":") + 1)
				for (count = whole + 0; count > 0; count--) many = many text
			}
			$0 = substr($0, 1, RSTART - 1) many substr($0, RSTART + RLENGTH)
		}
		printf "%s", $0
	}' >"$dir/source"
	# awk cannot write NUL everywhere.
	case $1 in
	*'{{nul}}'*) sed 's/\x01NUL\x01/\x00/g' "$dir/source" >"$dir/source.js" ;;
	*) mv "$dir/source" "$dir/source.js" ;;
	esac
}

# found [OPTION]: what the driver has found, in one word
found() {
	"$gate" "$@" --rules "$here/cases.rules" "$dir/source.js" >"$dir/told" 2>&1 || return
	awk '$1 ~ /^[0-9]+:[0-9]+$/ { print $3 }
	$1 == "complexity" && $6 == 1 { print "unparsed" }' "$dir/told" |
		LC_ALL=C sort -u | paste -s -d , -
}

tab=$(printf '\t')
for file in names values flow known shapes lexis; do
	grep -v '^#' "$here/$file.cases" >"$dir/cases"
	while IFS=$tab read -r wanted source; do
		write_source "$source"
		got=$(found) || got="failed: $(cat "$dir/told")"
		is "${got:--}" "$(printf '%s' "$wanted" | tr , '\n' | LC_ALL=C sort |
			paste -s -d , -)" "$file: $(printf '%s' "$source" | cut -c 1-70 | tr '#' '~')"
	done <"$dir/cases"
done

# dialect.cases: dialect or -, a tab, the source: with Duktape as the engine
grep -v '^#' "$here/dialect.cases" >"$dir/cases"
while IFS=$tab read -r wanted source; do
	write_source "$source"
	got=$(found --duktape | grep -o dialect)
	is "${got:--}" "$wanted" "dialect: $(printf '%s' "$source" | cut -c 1-70 | tr '#' '~')"
	is "$(found | grep -o dialect)" '' 'and nothing of it for another engine'
done <"$dir/cases"

# dialect_quick.cases: the same with QuickJS, and of no other kind for Duktape
grep -v '^#' "$here/dialect_quick.cases" >"$dir/cases"
while IFS=$tab read -r wanted source; do
	write_source "$source"
	got=$(found | grep -o dialect)
	is "${got:--}" "$wanted" "dialect: $(printf '%s' "$source" | cut -c 1-70 | tr '#' '~')"
done <"$dir/cases"

# modern.cases: modern or old, a tab, the source
grep -v '^#' "$here/modern.cases" >"$dir/cases"
while IFS=$tab read -r wanted source; do
	write_source "$source"
	got=$("$gate" --rules "$here/cases.rules" "$dir/source.js" |
		sed -n 's/^complexity .* modern \([01]\) .*/\1/p')
	is "$got" "$([ "$wanted" = modern ] && echo 1 || echo 0)" \
		"$wanted: $(printf '%s' "$source" | cut -c 1-70 | tr '#' '~')"
done <"$dir/cases"

# places.cases: LINE:COLUMN SPAN of what eval is found at, a tab, the source
grep -v '^#' "$here/places.cases" >"$dir/cases"
while IFS=$tab read -r wanted source; do
	write_source "$source"
	got=$("$gate" --rules "$here/cases.rules" "$dir/source.js" |
		sed -n 's/^\([0-9]*:[0-9]* [0-9]*\) eval .*/\1/p' | paste -s -d , -)
	is "$got" "$wanted" "place: $(printf '%s' "$source" | cut -c 1-70)"
done <"$dir/cases"

# scores.cases: COMPLEXITY NESTING, a tab, the source
grep -v '^#' "$here/scores.cases" >"$dir/cases"
while IFS=$tab read -r wanted source; do
	write_source "$source"
	got=$("$gate" --rules "$here/cases.rules" "$dir/source.js" |
		sed -n 's/^complexity \([0-9]*\) nesting \([0-9]*\) .*/\1 \2/p')
	is "$got" "$wanted" "score: $(printf '%s' "$source" | cut -c 1-70)"
done <"$dir/cases"
tap_done
