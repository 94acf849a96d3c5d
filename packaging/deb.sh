#!/bin/sh
# SPDX-License-Identifier: MIT
# deb.sh OUT DIST TREE-SITTER GRAMMAR QUICKJS: Debian's packages, in OUT, of the tarball DIST and
# of the three directories of third-party sources: the two source tarballs, the source package
# and the .deb files. Nothing is done if OUT has those of the same contents.
# DEB_BUILD_PATH=DIR: below which they are built; nothing of it may be in them.
set -eu
unset MAKEFLAGS MFLAGS MAKELEVEL
out=$1 dist=$2 tree_sitter=$3 grammar=$4 quickjs=$5

name=${dist##*/}
name=${name%.tar.xz}
version=${name#quod-}
work=${DEB_BUILD_PATH:+$DEB_BUILD_PATH/quod-deb}
work=${work:-$out.work}
rm -rf "$work"
mkdir -p "$work" "$out"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

# What is compiled, what that was made of, and whose it is.
pack_npm() {
	npm=$work/npm/node_modules
	copy_sources "$tree_sitter" "$npm/tree-sitter/vendor/tree-sitter" lib LICENSE
	copy_sources "$grammar" "$npm/tree-sitter-javascript" src grammar.js LICENSE
	copy_sources "$quickjs" "$npm/quickjs-wasi" quickjs.wasm package.json LICENSE
	pack_from "$work" "$1" npm
	rm -r "$work/npm"
}

# copy_sources FROM TO NAME...
copy_sources() {
	mkdir -p "$2"
	from=$1 to=$2
	shift 2
	(cd "$from" && tar -chf - "$@") | tar -xf - -C "$to"
}

# pack_from DIR TARBALL NAME: the same bytes for the same contents, as `make dist`.
pack_from() {
	tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@0 \
		-cJf "$2" "$3"
}

# contents: of all that the packages are made of, but for the time of the commit.
contents() {
	(cd "$work/$name" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) |
		sha256sum
}

build() {
	rm -f "$out"/*
	mv "$work/orig-npm" "$out/quod_$version.orig-npm.tar.xz"
	cp "$dist" "$out/quod_$version.orig.tar.xz"
	ln -s "$out"/*.orig*.tar.xz "$work"
	(cd "$work/$name" && umask 022 && dpkg-buildpackage -J -us -uc >"$out/log" 2>&1) || {
		tail -n 40 "$out/log" >&2
		exit 1
	}
	find "$work" -maxdepth 1 -type f -exec mv {} "$out" \;
}

out=$(cd "$out" && pwd)
tar -xf "$dist" -C "$work"
pack_npm "$work/orig-npm"
mkdir "$work/$name/npm"
tar -xf "$work/orig-npm" -C "$work/$name/npm" --strip-components=1
key=$(contents)
[ "$(cat "$out/contents" 2>/dev/null)" != "$key" ] || exit 0
echo "building Debian's packages, some minutes: $out/log"
build
echo "$key" >"$out/contents"
