#!/bin/sh
# SPDX-License-Identifier: MIT
# The built-in rules against sources with a known end, under a policy that has timers:
# no harmless one of the corpus is denied, nearly all hostile ones are, and each rule finds
# what it is for and leaves alone what only looks like it (rules.cases).
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

here=$QUOD_TEST_SOURCE/tests/gate
gate=$QUOD_TEST_BUILD/tests/gate/gate
table=$dir/table
# Of 60 hostile sources 55 have to be denied, and as many of every 60.
least=55 of=60

"$QUOD_TEST_BUILD/tests/gate/corpus/table" rules >"$table" || exit 99
"$QUOD_TEST_BUILD/tests/gate/corpus/table" matches >"$dir/matches" || exit 99

# findings FILE: "RULE SEVERITY PLACE DETAIL" a line. The driver ends with a summary.
findings() {
	"$gate" --builtin "$1" >"$dir/told" 2>"$dir/err" || {
		echo "failed deny 0:0 $(head -n 1 "$dir/err")"
		return
	}
	awk 'NR == FNR { severity[$1] = $2; next }
	$1 ~ /^[0-9]+:[0-9]+$/ {
		rule = $3
		place = $1
		sub(/^[^ ]+ [^ ]+ [^ ]+ ?/, "")
		print rule, (rule in severity ? severity[rule] : "unknown"), place, $0
	}' "$table" "$dir/told"
}

# denied FILE: the rules that deny it, each once.
denied() {
	findings "$1" >"$dir/findings"
	awk '$2 != "info" && $2 != "warn" && !seen[$1]++ { print $1 }' "$dir/findings"
}

labels() {
	wrong=
	for f in "$here/corpus/$1"/*.js; do
		head -n 1 "$f" | grep -q "^// $1: ." || wrong="$wrong ${f##*/}"
	done
	is "$wrong" '' "each $1 one says why in its first line"
}

harmless() {
	for f in "$here/corpus/harmless"/*.js; do
		rules=$(denied "$f")
		if [ -z "$rules" ]; then
			pass "harmless: ${f##*/} is not denied"
		else
			printf '%s\n' "$rules" | sed 's/^/harmless /' >>"$dir/counts"
			fail "harmless: ${f##*/} is not denied" "$(cat "$dir/findings")"
		fi
	done
}

hostile() {
	total=0 caught=0
	for f in "$here/corpus/hostile"/*.js; do
		total=$((total + 1))
		rules=$(denied "$f")
		if [ -n "$rules" ]; then
			caught=$((caught + 1))
			printf '%s\n' "$rules" | sed 's/^/hostile /' >>"$dir/counts"
		else
			echo "# missed: ${f##*/}: $(head -n 1 "$f" | cut -c 4-)"
			sed 's/^/#   /' "$dir/findings"
		fi
	done
	echo "# hostile: $caught of $total caught"
	if [ $total -ge $of ] && [ $((caught * of)) -ge $((least * total)) ]; then
		pass "at least $least of $of hostile ones are denied"
	else
		fail "at least $least of $of hostile ones are denied" "$caught of $total"
	fi
}

summary() {
	echo '# rule                   harmless   hostile'
	awk 'NF == 2 { n[$2 " " $1]++; rules[$2] }
	END {
		for (rule in rules)
			printf "# %-20s %10d %9d\n", rule, n[rule " harmless"], n[rule " hostile"]
	}' "$dir/counts" | sort
}

# source_of TEXT: with {{N:TEXT}} and {{nl}} written out.
source_of() {
	printf '%s\n' "$1" | awk '{
		while (match($0, /\{\{[0-9]+:([^{}]|\{\{nl\}\})*\}\}/)) {
			whole = substr($0, RSTART + 2, RLENGTH - 4)
			count = whole + 0
			text = substr(whole, index(whole, ":") + 1)
			many = ""
			while (count-- > 0) many = many text
			$0 = substr($0, 1, RSTART - 1) many substr($0, RSTART + RLENGTH)
		}
		gsub(/\{\{nl\}\}/, "\n")
		print
	}'
}

# case_of RULE SIGN TEXT
case_of() {
	source_of "$3" >"$dir/case.js"
	findings "$dir/case.js" >"$dir/findings"
	found=-
	! grep -q "^$1 " "$dir/findings" || found=+
	if [ "$found" = "$2" ]; then
		pass "$1 $2"
	else
		fail "$1 $2" "$3
$(cat "$dir/findings")"
	fi
}

cases() {
	grep -v '^#' "$here/rules.cases" >"$dir/cases"
	while read -r rule sign text; do
		[ "$sign" = 0 ] || case_of "$rule" "$sign" "$text"
	done <"$dir/cases"
}

# Each rule has both signs, or says who raises it; and none is there that is no rule.
both_signs() {
	awk '{ print $1 }' "$table" | sort >"$dir/wanted"
	awk '$2 == "0" { print $1; next } { seen[$1] = seen[$1] $2 }
	END { for (rule in seen) if (seen[rule] ~ /[+].*-/) print rule }' "$dir/cases" |
		sort -u >"$dir/had"
	is "$(diff "$dir/wanted" "$dir/had")" '' 'each rule has a case for and one against'
	is "$(awk '$2 == "0" { print $1 }' "$dir/cases" | sort | tr '\n' ' ')" \
		'engine engine-dialect input-json unexamined ' \
		'only these are raised by others than the analyser'
}

# A signal without a rule would never be told; a rule without a signal never be broken.
signals() {
	"$QUOD_TEST_BUILD/tests/gate/corpus/table" signals | sort >"$dir/wanted"
	awk '$2 == "signal" { print $3 }' "$dir/matches" | sort >"$dir/had"
	is "$(diff "$dir/wanted" "$dir/had")" '' 'rules and analyser name the same signals'
}

# patterns KIND FOUND TEXT: a source with TEXT for each pattern of the kind, & standing for
# the pattern (of those without a dot), a line each. On which lines its rule is found must be FOUND: all or none.
patterns() {
	sed -n "s/ $1 \(\*\.\)\{0,1\}\([^.]*\)\$/ \2/p" "$dir/matches" >"$dir/patterns"
	while read -r _ pattern; do
		printf '%s\n' "$3" | sed "s/&/$pattern/g"
	done <"$dir/patterns" >"$dir/case.js"
	findings "$dir/case.js" | sed 's/:[0-9]* / /' >"$dir/findings"
	awk 'FILENAME == ARGV[1] { found[$1 " " $3]; next }
	{ print(($1 " " FNR) in found ? "all" : "none", $0) }' \
		"$dir/findings" "$dir/patterns" >"$dir/by_pattern"
	sed "s/^/$2 /" "$dir/patterns" >"$dir/wanted"
	[ -s "$dir/wanted" ] || echo "no pattern is a $1" >"$dir/wanted"
	is "$(diff "$dir/wanted" "$dir/by_pattern")" '' "$2 of the $1 patterns in: $3"
}

: >"$dir/counts"
labels harmless
labels hostile
harmless
hostile
summary
cases
both_signs
signals
patterns global all '&;'
patterns global all 'var x = [1].map(&);'
patterns global all 'var x = globalThis["&"];'
patterns global none 'var o = { &: 1 }; o.&;'
patterns global none 'typeof &; "&"; /&/; // &'
patterns global none '(function (&) { return &; })(1);'
patterns member all 'var o = {}; o.&;'
patterns member all 'var o = {}; o["&"];'
patterns member none '"&"; /&/; // &'
tap_done
