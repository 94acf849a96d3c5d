#!/bin/sh
# SPDX-License-Identifier: MIT
# rebuild.sh BUILD: are the packages in BUILD/deb made again, byte by byte, from their source
# package, at another path, at another time and in another language?
set -eu
debs=$(cd "$1/deb" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/quod-rebuild-elsewhere.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
unset MAKEFLAGS MFLAGS MAKELEVEL

dpkg-source --no-check -x "$debs"/quod_*.dsc "$work/source" >/dev/null
(cd "$work/source" && umask 022 && TZ=XXX-11 LC_ALL=C.UTF-8 dpkg-buildpackage -J -b -us -uc) \
	>"$work/log" 2>&1 || {
	tail -n 40 "$work/log" >&2
	exit 1
}

status=0
for deb in "$debs"/*.deb; do
	cmp "$deb" "$work/${deb##*/}" || status=1
done
exit $status
