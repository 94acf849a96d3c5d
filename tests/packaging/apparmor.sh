#!/bin/sh
# SPDX-License-Identifier: MIT
# apparmor.sh: two parsers read the profile: this machine's, which in Debian 12 does not know
# the rule about user namespaces and has to say so, because then debian/quod.postinst offers
# it nothing; and that of the next Debian, unpacked beside, which has to make of it what a
# kernel with that rule is told.
set -eu
profile=$(cd "$(dirname "$0")/../.." && pwd)/packaging/apparmor/quod
next=trixie
work=$(mktemp -d "${TMPDIR:-/tmp}/quod-apparmor.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

fail() {
	echo "$1" >&2
	exit 1
}

# As postinst asks: nothing is loaded, nothing is kept.
parse() {
	"$@" --skip-kernel-load --skip-cache --quiet
}

mmdebstrap --quiet --variant=extract --include=apparmor $next "$work/next"
root=$work/next/usr
loader=$(echo "$root"/lib64/ld-linux-*.so.*)
next_parser() {
	"$loader" --library-path "$(echo "$root"/lib/*-linux-gnu)" "$root/sbin/apparmor_parser" \
		--base "$work/next/etc/apparmor.d" "$@"
}
# compiled FILE: for a kernel that has all that this parser knows.
compiled() {
	next_parser --skip-kernel-load --skip-cache --quiet --stdout \
		--features-file "$work/next/etc/apparmor.d/abi/4.0" "$1" | sha256sum
}

parse next_parser "$profile" || fail "the parser of $next does not take $profile"
sed '/^  userns,$/d' "$profile" >"$work/without"
[ "$(compiled "$profile")" != "$(compiled "$work/without")" ] ||
	fail 'the rule makes no difference'
sed 's/userns/no_such_rule/' "$profile" >"$work/wrong"
! parse next_parser "$work/wrong" 2>/dev/null || fail 'the parser takes anything'

if [ -e /etc/apparmor.d/abi/4.0 ]; then
	parse apparmor_parser "$profile"
else
	! parse apparmor_parser "$profile" 2>/dev/null ||
		fail 'a parser without abi/4.0 takes the profile: postinst could offer it everywhere'
	# What is left without the two lines that it does not know is right.
	sed '/^abi /d; /^  userns,$/d' "$profile" >"$work/old"
	parse apparmor_parser "$work/old" || fail 'more than the rule is unknown to the older parser'
fi
