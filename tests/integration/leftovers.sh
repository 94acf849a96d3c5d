#!/bin/sh
# SPDX-License-Identifier: MIT
# Thousands of runs that end in every way leave nothing: no process, no zombie, no mount,
# no cgroup. Everything that loses its parent is seen by tests/integration/orphans; leaves
# of cgroups are named by the runs' own ids, so that others' do not count.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
TMPDIR=$dir/tmp
export quod dir TMPDIR
mkdir "$TMPDIR"

cat >"$dir/worker.sh" <<'END'
# worker.sh NAME COUNT: so many runs, one kind after the other; what went wrong to stdout.
try() {
	wanted=$1
	shift
	"$quod" run -o json "$@" >>"$dir/records-$name" 2>>"$dir/stderr-$name"
	got=$?
	[ $got = "$wanted" ] || echo "$got instead of $wanted: $*"
}
name=$1
n=0
while [ $n -lt "$2" ]; do
	case $((n % 8)) in
	0) try 0 -e '6 * 7' ;;
	1) try 1 -e 'console.log("x"); throw new Error("y")' ;;
	2) try 124 --timeout 10ms -e 'for (;;);' ;;
	3) try 5 --memory 1M -e 'for (var s = "x"; ; ) s += s' ;;
	4) try 6 -e 'for (;;) console.log("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")' ;;
	5) try 124 --timeout 10ms -e 'setTimeout(function () {}, 1e6); 1' ;;
	6) try 1 --verdict -e '({a: [1, 2, 3]})' ;;
	7) try 3 "$quod" ;;
	esac
	n=$((n + 1))
done
END

cat >"$dir/many.sh" <<'END'
# many.sh WORKERS RUNS-EACH: that many at a time; says which mounts are new afterwards.
sort /proc/self/mountinfo >"$dir/mounts"
w=0
while [ $w -lt "$1" ]; do
	sh "$dir/worker.sh" $w "$2" &
	w=$((w + 1))
done
wait
sort /proc/self/mountinfo | diff "$dir/mounts" - >"$dir/mounts-changed"
END

# many WORKERS RUNS-EACH NAME
many() {
	"$QUOD_TEST_BUILD/tests/integration/orphans" "$dir/orphans" \
		$apart sh "$dir/many.sh" "$1" "$2" >"$dir/wrong" 2>&1 </dev/null
	is "$(head -n 5 "$dir/wrong")" '' "$3: each ends as it should"
	is "$(cat "$dir/orphans")" 'orphans 0 left 0' "$3: no process, no zombie"
	[ -z "$apart" ] || is "$(cat "$dir/mounts-changed")" '' "$3: no mount"
	is "$(ls -A "$TMPDIR")" '' "$3: no file"
	cat "$dir"/records-* | jq -r .id >"$dir/ids"
	is "$(sort -u "$dir/ids" | wc -l | tr -d ' ')" $(($1 * $2)) "$3: each run has an id of its own"
	is "$(find /sys/fs/cgroup -type d -name '0*' 2>/dev/null | grep -F -f "$dir/ids")" '' \
		"$3: no cgroup"
	is "$(cat "$dir"/stderr-*)" '' "$3: no complaint"
	rm "$dir"/records-* "$dir"/stderr-*
}

# Mounts of others come and go: ours are looked for in a namespace of our own, if we may
# have one. Who may not cannot mount either.
apart=
unshare -m true 2>/dev/null && apart='unshare -m'
many 1 1000 '1000 in a row'
many 8 250 '2000, 8 at a time'
tap_done
