#!/bin/sh
# SPDX-License-Identifier: MIT
# debs.sh BUILD: what can be said of the packages in BUILD/deb without installing them. lintian
# has neither errors nor warnings, but for those that an override explains; a program is made
# with libjail-dev; and the settings that come with quodd are taken by quodd.
set -eu
debs=$(cd "$1/deb" && pwd)
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/quod-debs.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

lintian --no-cfg --allow-root --fail-on error,warning "$debs"/quod_*_*.changes

for package in quod quodd libjail0 libjail-dev; do
	dpkg-deb -x "$debs/$package"_*.deb "$work"
done
triplet=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
PKG_CONFIG_PATH="$work/usr/lib/$triplet/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work" \
	PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 \
	LD_LIBRARY_PATH="$work/usr/lib/$triplet" sh debian/tests/libjail
[ "$(QUOD_JS=$work/usr/libexec/quod/quod-js "$work/usr/bin/quod" run -e '6 * 7')" = 42 ]
"$work/usr/sbin/quodd" --test --config "$work/etc/quod"
