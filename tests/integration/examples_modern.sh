#!/bin/sh
# SPDX-License-Identifier: MIT
# What examples/modern prints and gives under the default policy is what `expected` there
# says: "== script", its log lines with their levels, "=> value".
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/engines.sh"
modern=$QUOD_TEST_SOURCE/examples/modern

expected_of() {
	awk -v name="$1" '/^== / { on = $2 == name; next } on' "$modern/expected"
}

is "$(sed -n 's/^== //p' "$modern/expected")" \
	"$(cd "$modern" && find . -name '*.js' | sed 's|^\./||' | LC_ALL=C sort)" \
	'every script has its output'

# ES5 alone runs none of them: each is one that needs the second engine.
for script in "$modern"/*.js; do
	name=$(basename "$script")
	run_json --engine duktape "$script"
	record_has '.status == "error" and .error.phase == "parse" or .status == "rejected"' \
		"$name: not for duktape"
	engine_is_tested quickjs || continue
	run_json "$script"
	record_has '.status == "ok" and .engine == "quickjs"' "$name: ends well"
	is "$(field '(.logs[] | "\(.level): \(.text)"), "=> \(.value_text)"')" \
		"$(expected_of "$name")" "$name: what it prints and gives"
done
tap_done
