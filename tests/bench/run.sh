#!/bin/sh
# SPDX-License-Identifier: MIT
# `make bench`: quod beside the bare interpreter, its own floor, and other tools around
# the same interpreter in their tightest comparable setting; then memory, system calls,
# instructions and the latency of a kill. Lines that begin with #BENCH are for machines.
#	BENCH_ROUNDS=200  BENCH_KILLS=200
set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

build=$QUOD_TEST_BUILD
bench=$build/tests/bench
quod=$build/quod
js=$build/quod-js
QUOD_JS=$js
export QUOD_JS
rounds=${BENCH_ROUNDS:-200}
kills=${BENCH_KILLS:-200}
arena=$((32 * 1024 * 1024))

dir=$(mktemp -d "${TMPDIR:-/tmp}/quod-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM HUP

"$bench/material" job '1+1' >"$dir/job"
"$bench/material" filter >"$dir/filter"

# One line of the list: the words are joined by tabs.
add() {
	line=$1
	shift
	for word; do
		line="$line	$word"
	done
	printf '%s\n' "$line" >>"$dir/list"
}

absent() {
	printf 'left out: %-10s %s\n' "$1" "$2"
	printf '#BENCH left_out=%s\n' "$1"
}

# An OCI bundle: the same namespaces, an empty read-only root with the interpreter in it,
# no capability. Not the filter: crun's own format has no room for ours as it is.
make_bundle() {
	mkdir -p "$dir/bundle/rootfs"
	cp "$js" "$dir/bundle/rootfs/quod-js"
	if [ "$(id -u)" = 0 ]; then
		ids=2000000000
	else
		ids=$(id -u)
	fi
	cat >"$dir/bundle/config.json" <<-JSON
		{ "ociVersion": "1.0.2",
		  "process": { "terminal": false, "user": { "uid": 0, "gid": 0 },
		    "args": [ "/quod-js", "$arena" ], "env": [], "cwd": "/",
		    "capabilities": { "bounding": [], "effective": [], "permitted": [],
		      "inheritable": [], "ambient": [] },
		    "rlimits": [ { "type": "RLIMIT_CORE", "hard": 1, "soft": 1 } ],
		    "noNewPrivileges": true },
		  "root": { "path": "rootfs", "readonly": true },
		  "mounts": [],
		  "linux": {
		    "uidMappings": [ { "containerID": 0, "hostID": $ids, "size": 1 } ],
		    "gidMappings": [ { "containerID": 0, "hostID": $ids, "size": 1 } ],
		    "namespaces": [ { "type": "user" }, { "type": "pid" }, { "type": "network" },
		      { "type": "ipc" }, { "type": "uts" }, { "type": "mount" } ] } }
	JSON
	chmod -R a+rX "$dir"
}

# Does it run here at all? Says why not.
try() {
	name=$1
	shift
	if "$@" <"$dir/job" >"$dir/out" 2>"$dir/err"; then
		return 0
	fi
	absent "$name" "$(head -n 1 "$dir/err" | cut -c 1-100)"
	return 1
}

"$quod" run -e '1+1' >/dev/null || exit 1 # makes its group, too

: >"$dir/list"
add bare frames "$dir/job" - "$js" $arena
leaf=$(leaf_group)
# shellcheck disable=SC2086 # two words or none
add floor text "$dir/job" - "$bench/floor" ${leaf:+-c "$leaf"} "$js" $arena

bwrap_options="--unshare-user --unshare-all --uid 1000 --gid 1000 --cap-drop ALL --clearenv
	--new-session --die-with-parent --as-pid-1 --ro-bind $js /quod-js --remount-ro /
	--chdir /"
# shellcheck disable=SC2086 # the options are words
if ! command -v bwrap >/dev/null 2>&1; then
	absent bwrap "not installed: apt install bubblewrap"
elif try bwrap bwrap $bwrap_options /quod-js $arena; then
	add bwrap frames "$dir/job" "$dir/filter" bwrap $bwrap_options --seccomp 3 \
		/quod-js $arena
fi

add quod text - - "$quod" run -e 1+1

unshare_options="--user --map-root-user --pid --fork --kill-child --net --mount --ipc --uts
	--cgroup"
# shellcheck disable=SC2086
if try unshare unshare $unshare_options "$js" $arena; then
	add unshare frames "$dir/job" - unshare $unshare_options "$js" $arena
fi

if ! command -v crun >/dev/null 2>&1; then
	absent crun "not installed: apt install crun"
else
	make_bundle
	crun="crun --root $dir/crun --cgroup-manager=disabled run --bundle $dir/bundle"
	# shellcheck disable=SC2086
	if try crun $crun quod-bench; then
		add crun frames "$dir/job" - $crun quod-bench
	fi
fi

printf 'one-line script, whole process, %s interleaved rounds, idle machine wanted\n' "$rounds"
"$bench/bench" -n "$rounds" "$dir/list" || bad=1

# The two engines beside each other: the first is the yardstick.
compare_engines() {
	: >"$dir/list"
	printf '%s\n' "$2" >"$dir/script.js"
	for engine in duktape quickjs; do
		add "$engine" text - - "$quod" run --engine $engine "$dir/script.js"
	done
	printf '\n%s\n' "$1"
	"$bench/bench" -n "$3" -w 1 "$dir/list" || bad=1
}

if "$quod" run --engine quickjs -e 1+1 >/dev/null 2>&1; then
	compare_engines 'one-line script on either engine' 1+1 "$rounds"
	compare_engines 'fib(27)' 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
		fib(27) === 196418 ? 2 : 0' 10
	compare_engines 'sort of 200,000 numbers' 'var a = [], s = 12345;
		for (var i = 0; i < 200000; i++)
			a.push(s = (s * 1103515245 + 12345) % 2147483648);
		a.sort(function (x, y) { return x - y }); a[1000] === 9517056 ? 2 : 0' 5
	compare_engines 'string building' 'var t = "";
		for (var i = 0; i < 40000; i++) t += "x" + i % 10;
		t.length === 80000 ? 2 : 0' 10
else
	absent quickjs "quod was built without it"
fi

printf '\nquod run alone\n'
"$bench/inspect" "$quod" run -e 1+1 >"$dir/inspected"
read -r supervisor_kib instructions <"$dir/inspected"
jail_bytes=$("$quod" run -o json -e 1+1 | jq .usage.memory_peak_bytes)
printf '  %-40s %8d KiB\n' 'peak RSS of the supervisor' "$supervisor_kib"
printf '  %-40s %8d KiB\n' 'peak memory of the jail' $((jail_bytes / 1024))
printf '  %-40s %8d\n' "instructions of the supervisor (user)" "$instructions"
printf '#BENCH supervisor_rss_kib=%d jail_peak_kib=%d instructions=%d\n' \
	"$supervisor_kib" $((jail_bytes / 1024)) "$instructions"
if command -v strace >/dev/null 2>&1; then
	strace -c -o "$dir/calls" "$quod" run -e 1+1 >/dev/null
	calls=$(awk '$NF == "total" { print $4 }' "$dir/calls")
	printf '  %-40s %8d\n' 'system calls of the supervisor' "$calls"
	printf '#BENCH supervisor_syscalls=%d\n' "$calls"
else
	absent strace "not installed: apt install strace"
fi

printf '\nwhile(1); under --timeout 100ms, start of quod to its end, less 100 ms\n'
: >"$dir/list"
add kill timeout - - "$quod" run --timeout 100ms -e 'while(1);'
"$bench/bench" -n "$kills" -m 100000 -w 2 "$dir/list" || bad=1

printf '\n%s jails spinning at once, %s kills, deadlines of 100 ms\n' 8 $((2 * kills))
"$bench/kills" -n $((2 * kills)) -j 8 "$quod" || bad=1

[ "${bad:-0}" = 0 ] || {
	echo 'some runs went wrong: see the column good' >&2
	exit 1
}
