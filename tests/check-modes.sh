#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the whole suite once per mode and adds up the results of all of them. Root runs it
# as root, as nobody and inside a user namespace; anyone else as himself and inside a user
# namespace. nobody may not see the tree (a home of mode 0700, an umask of 077), so that
# mode works on a copy that he can read, with a directory of his own to write in.
# Needs: MAKE, TEST_LOGS, QUOD_TEST_BUILD, QUOD_TEST_SOURCE. Works in the build tree.
set -u

copy=
cleanup() {
	[ -z "$copy" ] || rm -rf "$copy"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

make_copy() {
	copy=$(mktemp -d "${TMPDIR:-/tmp}/quod-check.XXXXXX") || exit 1
	mkdir "$copy/build" "$copy/source" "$copy/tmp"
	(cd "$QUOD_TEST_SOURCE" && tar -cf - --exclude=./build --exclude=.git --exclude=./vm-cache \
		--exclude='*.o' --exclude='*.a' .) | tar -xf - -C "$copy/source" || exit 1
	(cd "$QUOD_TEST_BUILD" && tar -cf - --exclude=.git --exclude='*.o' --exclude='*.a' \
		--exclude=./build --exclude=./vm-cache .) | tar -xf - -C "$copy/build" || exit 1
	chmod -R a+rX "$copy"
	chown nobody "$copy/tmp"
	QUOD_TEST_COPY=$copy
	export QUOD_TEST_COPY
}

modes="caller userns"
if [ "$(id -u)" = 0 ] && [ -z "${QUOD_TEST_MODES:-}" ]; then
	modes="caller nobody userns"
fi
modes=${QUOD_TEST_MODES:-$modes}
case " $modes " in
*" nobody "*) make_copy ;;
esac

# What the tests that failed have said of it: the logs are the next mode's soon. A test
# that went on saying is cut.
reasons() {
	awk -v mode="$1" '
		FNR == 1 { told = 0; of = 0 }
		/^not ok / { of = 1; test = FILENAME; sub(/\.log$/, "", test) }
		/^FAIL: / { next }
		!/^not ok / && !/^#/ { of = 0 }
		of && told++ < 12 { print mode ": " test ": " substr($0, 1, 400) }' $TEST_LOGS 2>/dev/null
}

passed=0
failed=0
skipped=0
said=
for mode in $modes; do
	printf '\n== tests as %s ==\n' "$mode"
	log=tests/suite-$mode.log
	rm -f "$log" $TEST_LOGS
	if ! QUOD_TEST_MODE=$mode $MAKE --no-print-directory "$log" TEST_SUITE_LOG="$log"; then
		failing="${failing:-} $mode"
		said="$said$(reasons "$mode")
"
	fi
	results=$(for log in $TEST_LOGS; do
		# A test that left no result at all has failed.
		grep -h '^:test-result:' "${log%.log}.trs" 2>/dev/null || echo ':test-result: FAIL'
	done | awk '
		$2 == "PASS" || $2 == "XFAIL" { passed++ }
		$2 == "FAIL" || $2 == "XPASS" || $2 == "ERROR" { failed++ }
		$2 == "SKIP" { skipped++ }
		END { print passed + 0, failed + 0, skipped + 0 }')
	set -- $results
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
done

# In CI nothing may be left out quietly.
if [ "${CI:-}" = true ]; then
	failed=$((failed + skipped))
fi
if [ -n "${failing:-}" ] && [ $failed = 0 ]; then
	failed=1
fi
[ $skipped = 0 ] || printf '\n%d skipped\n' $skipped
for mode in ${failing:-}; do
	printf 'what failed as %s: %s\n' "$mode" "$QUOD_TEST_BUILD/tests/suite-$mode.log"
done
[ -z "$said" ] || printf '\n%s' "$said"
printf '\n%d passed, %d failed\n' $passed $failed
[ $failed = 0 ]
