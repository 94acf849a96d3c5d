# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # conformance_results is for those who include this
# The cases, and what they give. A case in the .cases files:
#
#	== id | edition | name
#	source, whose value is true where the engine has it
#
# Each runs as a script of anybody's would: in a jail, under the policy `default`.

conformance=$QUOD_TEST_SOURCE/tests/conformance

conformance_files() {
	for conformance_edition in es5 es2015 es2016 es2020; do
		printf '%s\n' "$conformance/$conformance_edition.cases"
	done
}

# "id | edition | name" of every case, in the order of the editions.
conformance_list() {
	# shellcheck disable=SC2046 # names of files, without blanks but the tree's own
	(IFS='
'; cat $(conformance_files)) | sed -n 's/^== //p'
}

# conformance_split DIR: the source of each case into a file of its own, DIR/id.js.
conformance_split() {
	# shellcheck disable=SC2046
	(IFS='
'; cat $(conformance_files)) | awk -v dir="$1" '
		/^#[^!]/ && !file { next }
		/^== / { if (file) close(file); file = dir "/" $2 ".js"; printf "" > file; next }
		/^# / { next }
		{ print > file }'
}

# What one record says, in one word:
#	pass      the value is true
#	fail      another value, or an error while it ran
#	syntax    the engine does not understand the source
#	refused   the gate of the policy does not let it run
#	broken    none of these: something is wrong with quod
conformance_word='
	if any(.gate.findings[]; .rule == "engine") then "broken"
	elif .status == "rejected" then "refused"
	elif .engine != $engine then "broken"
	elif .status == "ok" then (if .passed then "pass" else "fail" end)
	elif .status == "error" and .error.phase == "parse" then "syntax"
	elif .status == "error" then "fail"
	else "broken" end'

# conformance_run ENGINE DIR: "id word" for each case, in DIR/results-ENGINE.
conformance_run() {
	mkdir -p "$2/cases"
	conformance_split "$2/cases"
	conformance_list | cut -d ' ' -f 1 >"$2/ids"
	while read -r conformance_id; do
		"$quod" run --engine "$1" -o json "$2/cases/$conformance_id.js" </dev/null \
			2>/dev/null || :
	done <"$2/ids" >"$2/records"
	jq -r --arg engine "$1" "$conformance_word" "$2/records" >"$2/words"
	paste -d ' ' "$2/ids" "$2/words" >"$2/results-$1"
}
