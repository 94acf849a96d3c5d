#!/bin/sh
# SPDX-License-Identifier: MIT
# Layers point one way: base <- jail <- policy <- supervisor <- daemon; rootfs stands alone,
# and the others know nothing of it but the protocol. (filter_*.h are bytes, made at build
# time.)
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
cd "$QUOD_TEST_SOURCE" || exit 99

# keeps FOLDER FORBIDDEN...: no file of the folder includes one of those.
keeps() {
	folder=$1
	shift
	for other; do
		is "$(grep -n "#include \"$other/" "$folder"/*.[ch] |
			grep -v -e '"rootfs/protocol\.h"' -e '"policy/filter_[a-z]*\.h"')" \
			'' "$folder includes nothing of $other"
	done
}

keeps base jail policy rootfs supervisor daemon
keeps jail policy rootfs supervisor daemon
keeps policy jail rootfs supervisor daemon
keeps supervisor rootfs daemon
keeps daemon rootfs
keeps rootfs base jail policy supervisor daemon
tap_done
