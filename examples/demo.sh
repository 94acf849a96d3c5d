#!/bin/sh
# SPDX-License-Identifier: MIT
# `make demo`: runs every example in a jail of its own and prints how it ended. Fails if
# one did not end as its first lines say; those of modern/ must end well.
set -u
. "$QUOD_TEST_SOURCE/tests/engines.sh"

quod=$QUOD_TEST_BUILD/quod
examples=$QUOD_TEST_SOURCE/examples
QUOD_JS=$QUOD_TEST_BUILD/quod-js
export QUOD_JS
dir=$(mktemp -d "${TMPDIR:-/tmp}/quod-demo.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM HUP
wrong=0

if [ -t 1 ]; then
	red=$(printf '\033[31m')
	plain=$(printf '\033[0m')
else
	red=
	plain=
fi

# Without the second engine nothing of modern/ runs.
set -- "$examples"/*.js
! engine_is_tested quickjs || set -- "$@" "$examples"/modern/*.js

printf '%-24s %-8s %-14s %-7s %8s %9s  %s\n' script engine status passed 'wall ms' \
	'peak KiB' 'what it shows'
for script; do
	name=${script#"$examples"/}
	options=$(sed -n 's|^// options: ||p' "$script")
	expected=$(sed -n 's|^// expect: \([a-z_]*\).*|\1|p' "$script")
	case $name in
	modern/*) expected=ok ;;
	esac
	shows=$(sed -n '1s|^// ||p' "$script")
	# shellcheck disable=SC2086 # the options are words, not patterns
	(cd "$examples" && set -f && "$quod" run -o json $options "$name") \
		</dev/null >"$dir/record" 2>"$dir/err"
	row=$(jq -r '[.engine // "-", .status, (.passed | tostring), (.usage.wall_ms | tostring),
		((.usage.memory_peak_bytes // 0) / 1024 | floor | tostring)] | join(" ")' \
		"$dir/record" 2>/dev/null) || row=
	# shellcheck disable=SC2086
	set -- ${row:-- "no-record" - - -}
	mark=
	if [ "$2" != "$expected" ]; then
		wrong=$((wrong + 1))
		mark="$red<- expected $expected$plain "
	fi
	printf '%-24s %-8s %-14s %-7s %8s %9s  %s%s\n' "${name%.js}" "$1" "$2" "$3" "$4" \
		"$5" "$mark" "$shows"
	[ -s "$dir/record" ] || sed 's/^/    /' "$dir/err"
done

printf '\nwhat quod check says of gate.js:\n\n'
(cd "$examples" && "$quod" check gate.js </dev/null) && wrong=$((wrong + 1))

if [ $wrong != 0 ]; then
	printf '\n%d of the scripts did not end as expected\n' $wrong
	exit 1
fi
printf '\nall ended as expected; "passed" is true only where the value is the boolean true\n'
