#!/bin/sh
# SPDX-License-Identifier: MIT
# mend-duktape.sh DUKTAPE.C: the engine's source on standard output, with two mistakes of
# its compiler mended by what rootfs/duk_mend.h says. Here is only where. A source that does
# not have each place exactly once is one that we do not know: the build fails.
set -eu
awk '
/^DUK_LOCAL void duk__expr_led\(.*\{$/ { print "#include \"rootfs/duk_mend.h\""; places++ }
/^binary:$/ { binary = 1 }
/^binary_logical:$/ { binary = 0 }
binary && /^\t\tduk__ivalue_toplain\(comp_ctx, left\);$/ {
	print "\t\tstruct mend mend = mend_left_begin(comp_ctx, left);"
	places++
	next
}
binary && /^\t\tduk__expr_toplain\(comp_ctx, res, args & 0xff/ {
	print
	print "\t\tmend_left_end(comp_ctx, left, &mend);"
	places++
	next
}
/^\trc_switch = duk__exprtop_toregconst\(/ {
	sub(/duk__exprtop_toregconst/, "mend_switch_value")
	places++
}
{ print }
END { exit places != 4 }
' "$1"
