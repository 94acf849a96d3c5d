# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # the variables are for the tests that include this
# A daemon that says what a test wants; after tests/daemon/lib.sh.
pretend=$QUOD_TEST_BUILD/tests/daemon/pretend
lies=$dir/lies
mkdir "$lies"

# answer NAME STATUS TYPE: stdin as the body of a reply.
answer() {
	cat >"$lies/body"
	{
		printf 'HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n' "$2" "$3" \
			"$(wc -c <"$lies/body")"
		cat "$lies/body"
	} >"$lies/$1"
}

# raw NAME FORMAT: the bytes that printf makes of it.
raw() {
	# shellcheck disable=SC2059 # that is what it is for
	printf "$2" >"$lies/$1"
}

# with ANSWER...: a daemon that gives them, while `quod "$@"` of $words runs.
with() {
	rm -f "$dir/pretend" "$dir/keep" "$dir/said"
	mkfifo "$dir/keep"
	(cd "$lies" && exec "$pretend" "$dir/pretend" "$@") <"$dir/keep" >"$dir/said" &
	pretender=$!
	exec 5>"$dir/keep"
	await_line "$dir/said" listening
	code=0
	# shellcheck disable=SC2086 # words
	timeout -k 5 60 "$quod" $words --socket "$dir/pretend" >"$dir/out" 2>"$dir/err" || code=$?
	exec 5>&-
	wait "$pretender"
	err=$(cat "$dir/err")
}
