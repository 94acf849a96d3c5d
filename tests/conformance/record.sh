#!/bin/sh
# SPDX-License-Identifier: MIT
# record.sh ENGINE: what the engine gives, for its column of tests/conformance/expected.
# For whoever changes an engine or adds a case; look at every line that changes.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/conformance/lib.sh"
conformance_run "${1:?an engine}" "$dir"
cat "$dir/results-$1"
