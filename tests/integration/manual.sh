#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual: every page is right as mdoc and has what there is; what its examples say is what
# comes of them. Those of the daemon are in tests/daemon/manual.sh, those of policies in
# policy.sh.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/manual.sh"
PATH=$QUOD_TEST_BUILD:$PATH
cd "$dir" || exit 99

# What a page refers to is not installed here, or mandoc has no index of it; and how long
# lines of the source are is no matter of the page.
test_pages() {
	for page in "$manual_pages"/*.[1-8]; do
		is "$(mandoc -T lint "$page" 2>&1 | grep -v 'referenced manual not found\|outdated mandoc.db lacks\|input text line longer')" '' \
			"$(basename "$page") is clean"
		is "$(grep -n '@' "$page" | grep -v '@basic-io')" '' 'with nothing left to fill in'
	done
	for page in "$QUOD_TEST_SOURCE"/man/*.[1-8]; do
		[ -e "$manual_pages/$(basename "$page")" ] || echo "# not of this build: $(basename "$page")"
		for name in $(sed -n 's/^\.Xr \(quod[a-z.-]*\|libjail\) \([0-9]\).*/\1.\2/p' "$page" | sort -u); do
			holds "$(basename "$page") refers to $name" test -e "$QUOD_TEST_SOURCE/man/$name"
		done
	done
}

# example PATTERN CODE OUTPUT: the command of quod.1 with that in it.
example() {
	examples_judged=$((examples_judged + 1))
	manual_commands quod.1 | grep -F -- "$1" >"$dir/example"
	is "$(wc -l <"$dir/example")" 1 "quod(1) has one example with $1"
	code=0
	sh "$dir/example" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
	is "$code" "$2" 'it exits as it should'
	has "$(cat "$dir/out" "$dir/err")" "$3" 'and says what it should'
}

test_quod() {
	examples_judged=0
	example 'quod check' 3 'eval'
	example '[3,1,2].sort()' 0 'true'
	example 'while (true)' 124 '"status":"timeout"'
	example '"n":6' 0 '42'
	example '--memory 2M' 0 'true'
	is "$(manual_commands quod.1 | wc -l)" "$examples_judged" 'each example of quod(1) was tried'
}

# A command, and below it what it prints.
test_record() {
	manual_examples quod-record.5 | sed 's/^[	 ]*//' >"$dir/shown"
	manual_commands quod-record.5 >"$dir/script"
	is "$(sh "$dir/script" 2>&1)" "$(awk '/^\$ / { on = 1; next } /^$/ { on = 0 } on' "$dir/shown")" \
		'the examples of quod-record(5) print what stands below them'
	run_json -e 'throw new Error("x")'
	sed -n 's/^\.It Sy //p' "$manual_pages/quod-record.5" | tr -d ',' | tr -s ' ' '\n' | sort >"$dir/said"
	is "$(jq -r 'keys[]' "$dir/out" | sort | comm -23 - "$dir/said")" '' 'it has each key of a record'
	grep -o '^[^@]*' "$manual_pages/quod-record.5" | tr -s ' ,' '\n' >"$dir/words"
	for key in $(jq -r '.usage, .gate, .error | keys[]' "$dir/out"); do
		holds "and $key" grep -qx "$key" "$dir/words"
	done
	run_json --timeout 100ms -e 'for (;;);'
	for key in $(jq -r '.kill | keys[]' "$dir/out"); do
		holds "and $key" grep -qx "$key" "$dir/words"
	done
	is "$("$quod" run -o ndjson -e 'console.log(1); 2' | jq -r '.event // empty' | sort -u | tr '\n' ' ')" 'log value ' 'events'
}

# prototypes of the header, and those of the page, one a line.
of_header() {
	awk '/^JAIL_API / { on = 1; sub(/^JAIL_API /, "") }
		on { sub(/^[ \t]+/, ""); printf "%s%s", $0, (/;/ ? "\n" : " ") }
		/;/ { on = 0 }' "$QUOD_TEST_SOURCE/jail/jail.h" | tr -d ';'
}
of_page() {
	awk '/^\.Ft / { printf "\n%s ", substr($0, 5) }
		/^\.Fo / { printf "%s(", $2; before = "" }
		/^\.Fa "/ && before != "x" { gsub(/^\.Fa "|"$/, ""); printf "%s%s", before, $0; before = ", " }
		/^\.Fc/ { printf ")"; before = "x" }' "$manual_pages/libjail.3" | sed 's/\* jail_/*jail_/' | grep .
}

test_library() {
	is "$(of_page | sort)" "$(of_header | sort)" 'libjail(3) has each function as the header has it'
	for name in $(sed -n 's/^	\(jail_[a-z_]*\);/\1/p' "$QUOD_TEST_SOURCE/jail/libjail.sym"); do
		holds "it says what $name does" grep -q "^\.Fn $name\( \|\$\)" "$manual_pages/libjail.3"
	done
	manual_examples libjail.3 | sed -n '/#define/,/The example has/p' | sed '$d' >"$dir/example.c"
	mkdir "$dir/include" "$dir/include/quod"
	cp "$QUOD_TEST_SOURCE/jail/jail.h" "$dir/include/quod"
	holds 'its example compiles' "${CC:-cc}" -std=gnu11 -Wall -Werror -I "$dir/include" "$dir/example.c" \
		-o "$dir/example" -L "$QUOD_TEST_BUILD/.libs" -ljail
	export LD_LIBRARY_PATH="$QUOD_TEST_BUILD/.libs"
	holds 'it runs a program' "$dir/example" "$QUOD_TEST_BUILD/tests/integration/parrot"
	is "$("$dir/example" "$QUOD_TEST_BUILD/tests/integration/parrot" 2>&1)" 'exit 0' 'and says how it ended'
	has "$("$dir/example" /bin/sh 2>&1)" 'exec: ' 'or why it did not begin'
}

test_pages
test_quod
test_record
test_library
tap_done
