#!/bin/sh
# SPDX-License-Identifier: MIT
# Where core_pattern pipes the memory of what crashes into a program, that of a guest does
# not get there.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
inmate=$QUOD_TEST_BUILD/tests/escape/inmate
pattern=$(cat /proc/sys/kernel/core_pattern)

cat >"$dir/catch" <<END
#!/bin/sh
cat >"$dir/core.\$1"
END
chmod 755 "$dir" "$dir/catch"
echo "|$dir/catch %e" >/proc/sys/kernel/core_pattern
"$inmate" abort 2>/dev/null
for _ in $(seq 500); do
	[ ! -s "$dir/core.inmate" ] || break
	sleep 0.02
done
holds 'a program that crashes on the host is caught' test -s "$dir/core.inmate"
rm -f "$dir"/core.*
for _ in 1 2 3; do
	code=0
	"$quod" exec -- "$inmate" abort 2>"$dir/err" || code=$?
	has "$(cat "$dir/err")" 'crashed: ' "a guest that crashes (exit code $code)"
done
# The catcher of this crash comes after those of the guests, if there were any.
"$inmate" abort 2>/dev/null
for _ in $(seq 500); do
	[ ! -s "$dir/core.inmate" ] || break
	sleep 0.02
done
echo "$pattern" >/proc/sys/kernel/core_pattern
is "$(cd "$dir" && ls core.*)" core.inmate 'is not'
tap_done
