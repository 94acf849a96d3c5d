#!/bin/sh
# SPDX-License-Identifier: MIT
# Starts one test as the one whom $QUOD_TEST_MODE names (see check-modes.sh):
#	caller   as whoever runs make (the default)
#	nobody   root becomes nobody; the tests then use the copy in $QUOD_TEST_COPY
#	userns   inside a user namespace where the caller is root
# Tests find their programs by $QUOD_TEST_BUILD and their files by $QUOD_TEST_SOURCE.
: "${QUOD_TEST_MODE:=caller}"
CRITERION_OUTPUTS=tap:-
LSAN_OPTIONS=suppressions=$QUOD_TEST_SOURCE/tests/lsan.supp:print_suppressions=0
export QUOD_TEST_MODE CRITERION_OUTPUTS LSAN_OPTIONS

case $QUOD_TEST_MODE in
caller)
	exec "$@"
	;;
nobody)
	# The build tree may lie inside the source tree, so it is looked at first.
	test=$(cd "$(dirname "$1")" && pwd -P)/$(basename "$1")
	shift
	build=$(cd "$QUOD_TEST_BUILD" && pwd -P)
	source=$(cd "$QUOD_TEST_SOURCE" && pwd -P)
	case $test in
	"$build"/*) test=$QUOD_TEST_COPY/build/${test#"$build"/} ;;
	"$source"/*) test=$QUOD_TEST_COPY/source/${test#"$source"/} ;;
	esac
	QUOD_TEST_BUILD=$QUOD_TEST_COPY/build
	QUOD_TEST_SOURCE=$QUOD_TEST_COPY/source
	LSAN_OPTIONS=suppressions=$QUOD_TEST_SOURCE/tests/lsan.supp:print_suppressions=0
	TMPDIR=$QUOD_TEST_COPY/tmp
	HOME=$TMPDIR
	export QUOD_TEST_BUILD QUOD_TEST_SOURCE TMPDIR HOME
	cd "$TMPDIR" || exit 99
	exec setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all \
		-- "$test" "$@"
	;;
userns)
	exec unshare -r -- "$@"
	;;
*)
	echo "as-mode.sh: no mode '$QUOD_TEST_MODE'" >&2
	exit 99
	;;
esac
