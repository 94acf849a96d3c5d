#!/bin/sh
# SPDX-License-Identifier: MIT
# Every example ends as its own first lines say.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

for script in "$QUOD_TEST_SOURCE"/examples/*.js; do
	name=$(basename "$script")
	expected=$(sed -n 's|^// expect: \([a-z_]*\).*|\1|p' "$script")
	passed=$(sed -n 's|^// expect: [a-z_]*, \(passed\).*|\1|p' "$script")
	options=$(sed -n 's|^// options: ||p' "$script")
	# shellcheck disable=SC2086 # the options are words, not patterns
	(cd "$QUOD_TEST_SOURCE/examples" && set -f && timeout -k 5 60 "$quod" run -o json \
		$options "$name" </dev/null >"$dir/out" 2>"$dir/err")
	is "$(field .status)" "${expected:-no expectation in the script}" "$name: status"
	[ -z "$passed" ] || is "$(field .passed)" true "$name: verdict"
done
tap_done
