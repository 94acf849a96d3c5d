#!/bin/sh
# SPDX-License-Identifier: MIT
# Every case on every engine in quod-js itself, or in its build under the sanitizers where
# there is one. without-quickjs.txt is for a build that has no second engine.
. "$QUOD_TEST_SOURCE/tests/engines.sh"
js=$QUOD_TEST_BUILD/tests/js/sanitized
[ -x "$js" ] || js=$QUOD_TEST_BUILD/quod-js
cases=$QUOD_TEST_SOURCE/tests/js
set -- "$cases"/*.cases
engine_is_tested quickjs || set -- "$@" "$cases/without-quickjs.txt"
exec "$QUOD_TEST_BUILD/tests/js/cases" "$QUOD_TEST_ENGINES" "$cases/differences.txt" "$js" "$@"
