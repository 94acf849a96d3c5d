# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Tables in docs/runtime.md that are made of lists in tests/: each stands between a line
# <!-- name --> and a line <!-- end -->.
docs_page=$QUOD_TEST_SOURCE/docs/runtime.md

# docs_table NAME: what stands there.
docs_table() {
	sed -n "/^<!-- $1 -->\$/,/^<!-- end -->\$/p" "$docs_page" | sed '1d;$d'
}

# docs_write NAME: standard input, put there.
docs_write() {
	docs_new=$(mktemp) || return 1
	{
		sed "/^<!-- $1 -->\$/q" "$docs_page"
		cat
		sed -n "/^<!-- $1 -->\$/,\$p" "$docs_page" | sed -n '/^<!-- end -->$/,$p'
	} >"$docs_new"
	cat "$docs_new" >"$docs_page"
	rm -f "$docs_new"
}
