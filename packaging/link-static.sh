#!/bin/sh
# SPDX-License-Identifier: MIT
# link-static.sh OUTPUT COMPILER FLAGS OBJECT...: links a static program, at a random address
# where the toolchain can. musl's wrapper of gcc does not know -static-pie: it is told by hand
# with musl's own rcrt1.o, which lies next to the start files that the wrapper names.
set -eu
output=$1 cc=$2 flags=$3
shift 3
hard="-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack"

start=$($cc $flags -### -x c /dev/null -o /dev/null 2>&1 | tr ' "' '\n\n' |
	grep '/[A-Za-z]*crt1\.o$' | head -n 1) || start=
dir=${start%/*}

case $start in
*/Scrt1.o)
	if [ -f "$dir/rcrt1.o" ]; then
		exec $cc $flags $hard -nostartfiles -Wl,-pie,--no-dynamic-linker -o "$output" \
			"$dir/rcrt1.o" "$dir/crti.o" "$($cc -print-file-name=crtbeginS.o)" \
			"$@" -lm "$($cc -print-file-name=crtendS.o)" "$dir/crtn.o"
	fi
	;;
*)
	# -static and -static-pie are two answers to one question.
	pie_flags=$(printf ' %s ' "$flags" | sed 's/ -static / /g')
	if $cc $pie_flags $hard -static-pie -o "$output" "$@" -lm 2>/dev/null; then
		exit 0
	fi
	;;
esac
exec $cc $flags $hard -no-pie -o "$output" "$@" -lm
