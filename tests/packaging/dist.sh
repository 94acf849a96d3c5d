#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh BUILD: does `make dist` of the last commit give the same bytes twice? By two clones
# with names of other lengths, file times, umasks, time zones and languages, and by the tarball
# unpacked. BUILD is a built tree, whose third-party sources they are configured with.
set -eu
npm=$(cd "$1" && pwd)/npm/node_modules
cd "$(dirname "$0")/../.."
work=$(mktemp -d "${TMPDIR:-/tmp}/quod-dist.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# pack DIR: in a build directory beside the sources, as anybody would.
pack() {
	mkdir "$1/b"
	cd "$1/b"
	../configure --quiet --with-tree-sitter="$npm/tree-sitter/vendor/tree-sitter" \
		--with-tree-sitter-javascript="$npm/tree-sitter-javascript" \
		--with-quickjs="$npm/quickjs-wasi"
	make -s dist
}

pack_clone() {
	git clone -q . "$1"
	find "$1" -name .git -prune -o -exec touch -h -d "$2" {} +
	(cd "$1" && ./bootstrap && pack "$1") >"$1.log" 2>&1 || {
		tail -n 20 "$1.log" >&2
		return 1
	}
}

(umask 022 && TZ=UTC0 LC_ALL=C pack_clone "$work/one" '2001-02-03 04:05:06') &
first=$!
(umask 077 && TZ=XXX-11 LC_ALL=C.UTF-8 pack_clone "$work/another-one" '2019-02-03 04:05:06')
wait $first

name=$(cd "$work/one/b" && echo quod-*.tar.xz)
mkdir "$work/unpacked"
tar -xf "$work/one/b/$name" -C "$work/unpacked" --strip-components=1
(umask 027 && pack "$work/unpacked") >"$work/unpacked.log" 2>&1 || {
	tail -n 20 "$work/unpacked.log" >&2
	exit 1
}

for other in another-one unpacked; do
	cmp "$work/one/b/$name" "$work/$other/b/$name" && continue
	mkdir "$work/a" "$work/b"
	tar -xf "$work/one/b/$name" -C "$work/a"
	tar -xf "$work/$other/b/$name" -C "$work/b"
	diff -r "$work/a" "$work/b" | head -n 40 >&2
	exit 1
done
sha256sum "$work/one/b/$name"
