#!/bin/sh
# SPDX-License-Identifier: MIT
# The form of docs/runbooks, and of what judges them: the blocks themselves are executed in a
# guest (tests/vm/runbooks.sh), where a slip of that judge would not be seen.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
books=$QUOD_TEST_SOURCE/docs/runbooks
vm=$QUOD_TEST_SOURCE/tests/vm
rules=$QUOD_TEST_SOURCE/packaging/prometheus/quodd.rules.yml
pages=$(cd "$books" && find . -name '*.md' ! -name README.md | sed 's|..||' | sort)

form='## Symptom
## How to tell
## What to do
## How to know that it worked
## How to go back'

test_form() {
	for page in $pages; do
		is "$(grep '^## ' "$books/$page")" "$form" "$page has the form of all"
		holds "$page is in the index" grep -q "]($page)" "$books/README.md"
		holds "$page is in README.md" grep -q "](docs/runbooks/$page)" "$QUOD_TEST_SOURCE/README.md"
	done
	for page in $pages README.md; do
		holds "$page: nothing in it is there to be read alone" \
			awk -f "$vm/steps.awk" "$books/$page"
	done
	is "$(cat "$books"/*.md | grep -o '](\([a-zA-Z-]*\.md\))' | tr -d ']()' | sort -u |
		while read -r page; do [ -e "$books/$page" ] || echo "$page"; done)" '' \
		'no link leads nowhere'
	is "$(cat "$books"/*.md | sed -n 's/^<!-- breakage: \(.*\) -->$/\1/p' | sort -u)" \
		"$(sed -n 's/^break_\([a-z_]*\)() {$/\1/p' "$vm/breakages.sh" | sort)" \
		'the breakages of the pages are those that there are'
}

# Names that nobody else has are names of nothing.
test_names() {
	sed -n 's/^ *- alert: //p' "$rules" | sort -u >"$dir/alerts"
	is "$(cat "$books"/*.md | grep -ow 'Quodd[A-Z][A-Za-z]*' | sort -u)" "$(cat "$dir/alerts")" \
		'the alerts of the pages are those that there are'
	awk '/- alert:/ { alert = $3 } /runbook:/ { sub(".*/", "", $2); print alert, $2 }' "$rules" |
		sort -u >"$dir/named"
	while read -r alert page; do
		holds "$page is about $alert, which names it" grep -q "\*\*$alert\*\*" "$books/$page"
		holds "the index leads from $alert to $page" grep -q "$alert.*]($page)" "$books/README.md"
	done <"$dir/named"
	is "$(cat "$books"/*.md | grep -ow 'quod_[a-z][a-z_]*' | sed 's/_\(sum\|bucket\)$//' | sort -u |
		while read -r name; do
			grep -q "\"$name\"" "$QUOD_TEST_SOURCE/daemon/metrics.c" || echo "$name"
		done)" '' 'and so are their metrics'
}

# Of words of a stranger on root's terminal, and of tokens where ps shows them.
test_strangers() {
	is "$(grep -h '^# .*journalctl.* -o cat' "$books"/*.md | grep -v -e '| cat -v' -e '_UID=0')" '' \
		'a journal is never shown as it came'
	is "$(grep -h '^# .*jq -r .*message' "$books"/*.md | grep -v '| cat -v')" '' \
		'nor is a message of a record'
	is "$(grep -h 'curl.* -H .*\(Bearer\|AUTH\)' "$books"/*.md "$QUOD_TEST_SOURCE/README.md")" '' \
		'no token is a word of a command line'
}

# fits WANTED GOT: the judge of a block's answer.
fits() {
	printf "$1" >"$dir/wanted"
	printf "$2" >"$dir/got"
	awk -f "$vm/output.awk" "$dir/wanted" "$dir/got"
}

yes() {
	holds "'$1' fits '$2'" fits "$1" "$2"
}

no() {
	if fits "$1" "$2"; then fail "'$1' fits '$2'"; else pass "'$1' does not fit '$2'"; fi
}

test_judge() {
	yes '' ''
	no '' 'x\n'
	no 'x\n' ''
	yes 'a.b[c]\\^$*\n' 'a.b[c]\\^$*\n'
	no 'a.b\n' 'axb\n'
	no 'ready\n' 'not ready\n'
	no 'ready\n' 'ready\nand more\n'
	yes '...\nx\n' 'a\nb\nx\n'
	yes '...\n' ''
	no '...\nx\n' 'a\nb\n'
	yes 'a...c\n...\n' 'abbc\n'
	yes '...x...y\n' 'axbxcy\n'
	no 'a...a\n' 'a\n'
	yes 'TENANT  OF\n' 'TENANT      OF\n'
}

# refuses PAGE NAME: steps.awk, in which a block has no way by.
refuses() {
	printf "<!-- breakage: nothing -->\n$1" >"$dir/page"
	if awk -f "$vm/steps.awk" "$dir/page" >/dev/null 2>"$dir/said"; then
		fail "$2 is refused"
	else
		pass "$2 is refused: $(head -n 1 "$dir/said" | cut -d : -f 3-)"
	fi
}

test_blocks() {
	refuses '```sh\ntrue\n```\n' 'a block of another kind'
	refuses '```\n# true\n```\n' 'a block without a kind'
	refuses '    # true\n' 'an indented block'
	refuses '~~~\n# true\n~~~\n' 'a block between tildes'
	refuses '  ```console\n  # true\n  ```\n' 'a block in a list'
	refuses '```console\nok\n```\n' 'a block without a command'
	refuses '```console\n# true\n' 'a block without an end'
	refuses '<!-- skip -->\n' 'a comment that might leave something out'
	printf '```console\n# true\n```\n' >"$dir/page"
	if awk -f "$vm/steps.awk" "$dir/page" >/dev/null 2>&1; then
		fail 'a block before any breakage is refused'
	else
		pass 'a block before any breakage is refused'
	fi
	cat >"$dir/page" <<-'END'
		<!-- breakage: one -->
		```console fails
		# echo 'a' \
		> && false
		a
		```
		```console
		# true
		```
	END
	is "$(awk -f "$vm/steps.awk" "$dir/page")" "break_it one
obey 'page:3' fails 'echo '\\''a'\\'' \\
&& false' 'a
'
obey 'page:8' succeeds 'true' ''" 'what it makes of a page'
}

# The queries, which no shell executes, are Prometheus's to judge.
test_queries() {
	promtool=${PROMTOOL:-$(command -v promtool)}
	if [ -z "$promtool" ]; then
		skip 'promtool' 'there is none: packaging/prometheus/fetch-promtool DIRECTORY, then PROMTOOL=DIRECTORY/promtool'
		return
	fi
	{
		printf 'groups:\n- name: runbooks\n  rules:\n'
		cat "$books"/*.md | awk '/^```promql$/ { inside = 1; printf "  - record: asked\n    expr: |\n"; next }
			/^```$/ { inside = 0 } inside { print "      " $0 }'
	} >"$dir/queries.yml"
	holds 'promtool: the queries of the pages' "$promtool" check rules --lint=none "$dir/queries.yml"
}

test_form
test_names
test_strangers
test_judge
test_blocks
[ "$QUOD_TEST_MODE" != caller ] || test_queries
tap_done
