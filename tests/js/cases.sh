#!/bin/sh
# SPDX-License-Identifier: MIT
# Every case in quod-js itself, or in its build under the sanitizers where there is one.
js=$QUOD_TEST_BUILD/tests/js/sanitized
[ -x "$js" ] || js=$QUOD_TEST_BUILD/quod-js
exec "$QUOD_TEST_BUILD/tests/js/cases" "$js" "$QUOD_TEST_SOURCE"/tests/js/*.cases
