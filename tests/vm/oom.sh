#!/bin/sh
# SPDX-License-Identifier: MIT
# oom.sh [ROUNDS]: memory exhausted in many ways is told as memory_limit each time, and by the
# kernel: these programs have no engine that would count.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
hog=$QUOD_TEST_BUILD/tests/vm/hog
rounds=${1:-100}

# told NAME COMMAND...: in each round it ends with the exit code of memory_limit.
told() {
	name=$1
	shift
	: >"$dir/wrong"
	i=0
	while [ $i -lt "$rounds" ]; do
		code=0
		timeout -k 5 60 "$@" </dev/null >/dev/null 2>"$dir/err" || code=$?
		[ $code = "$wanted" ] || echo "round $i: exit code $code: $(cat "$dir/err")" >>"$dir/wrong"
		i=$((i + 1))
	done
	is "$(cat "$dir/wrong")" '' "$name: memory_limit in $rounds of $rounds"
}

# Only programs of several processes may share memory.
printf '[Limits]\nTasksMax=2\n' >"$dir/two.policy"
wanted=137 # above 123 is quod's, of a program
for way in touch shared small realloc brk stack tables mremap maps bss; do
	policy=default
	[ $way != shared ] || policy=$dir/two.policy
	told "$way" "$quod" exec -p "$policy" --require-cgroup --memory 1M --timeout 5s -- "$hog" $way
done
wanted=5
while IFS='|' read -r name source; do
	told "$name" "$quod" run --require-cgroup --memory 1M -e "$source"
done <<'END'
strings|for (var s = "xxxxxxxx"; ; ) s += s
typed arrays|for (var a = []; ; ) a.push(new Uint8Array(1 << 16))
arrays|for (var a = []; ; ) a.push(1, 2, 3, 4, 5, 6, 7, 8)
END
"$quod" exec --require-cgroup --memory 1M -- "$hog" touch 2>"$dir/err"
has "$(cat "$dir/err")" 'quod: memory_limit: ' 'it is said'
has "$(cat "$dir/err")" 'the limit is 1 MiB' 'and the limit'
is "$(find /sys/fs/cgroup -path '*/quod/01*' -type d)" '' 'no leaf is left'
tap_done
