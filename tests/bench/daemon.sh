#!/bin/sh
# SPDX-License-Identifier: MIT
# The second half of `make bench`: quodd under load, against `quod run` and against the floor.
# Everything that is compared is measured interleaved, in one run. Lines that begin with #BENCH
# are for machines.
#	BENCH_ROUNDS=1000  BENCH_SLICES=5 of BENCH_SLICE_MS=2000  BENCH_TENANTS=1000
set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"

build=$QUOD_TEST_BUILD
bench=$build/tests/bench
quodd=$build/quodd
quod=$build/quod
js=$build/quod-js
QUOD_JS=$js
export QUOD_JS
rounds=${BENCH_ROUNDS:-1000}
slices=${BENCH_SLICES:-5}
slice_ms=${BENCH_SLICE_MS:-2000}
tenants=${BENCH_TENANTS:-1000}
warm=${BENCH_WARM:-200}
arena=$((32 * 1024 * 1024))
bad=0

dir=$(mktemp -d "${TMPDIR:-/tmp}/quod-bench.XXXXXX")
pids=
floods=
# shellcheck disable=SC2086 # they are words
trap '[ -z "$pids$floods" ] || kill $pids $floods 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM HUP

# start NAME OPTIONS...: a daemon of its own; its socket is $dir/NAME.
start() {
	start_name=$1
	shift
	mkdir "$dir/$start_name.state"
	"$quodd" --socket "$dir/$start_name" --state "$dir/$start_name.state" "$@" \
		2>"$dir/$start_name.log" &
	pid=$!
	pids="$pids $pid"
	for _ in $(seq 500); do
		! curl -s --unix-socket "$dir/$start_name" http://quodd/readyz |
			grep -q '"ready"' || return 0
		sleep 0.02
	done
	cat "$dir/$start_name.log" >&2
	exit 1
}

stop() {
	kill "$pid"
	wait "$pid" || true
}

server_of() {
	for child in $(cat "/proc/$1/task/$1/children"); do
		[ "$(cat "/proc/$child/comm")" != quodd-server ] || echo "$child"
	done
}

# jails_of MONITOR: their pids.
jails_of() {
	for child in $(cat "/proc/$1/task/$1/children"); do
		[ "$(cat "/proc/$child/comm")" != quod-js ] || echo "$child"
	done
}

memory() {
	printf '  %-40s %8d KiB\n' "$1" "$2"
	printf '#BENCH %s=%d\n' "$(printf %s "$1" | tr ' ' _)" "$2"
}

median() {
	sort -n | awk '{ all[NR] = $1 } END { printf "%.3f", all[int((NR + 1) / 2)] }'
}

# throughput NAME CLIENTS: slices of the floor and of the daemon by turns.
throughput() {
	leaf=$(leaf_group)
	: >"$dir/ratios"
	: >"$dir/counts"
	for _ in $(seq "$slices"); do
		# shellcheck disable=SC2086 # two words or none
		floor=$("$bench/floor" ${leaf:+-c "$leaf"} -l "$slice_ms" "$2" "$js" $arena <"$dir/job")
		ours=$("$bench/load" -c "$2" -s "$slice_ms" "$dir/$1") || bad=1
		awk -v ours="$ours" -v floor="$floor" 'BEGIN { print ours / floor }' >>"$dir/ratios"
		awk -v ours="$ours" -v ms="$slice_ms" 'BEGIN { print ours * 1000 / ms }' >>"$dir/counts"
	done
	ratio=$(median <"$dir/ratios")
	each=$(median <"$dir/counts")
	printf '  %-12s %d clients %8.0f runs/s   x floor %s\n' "$1" "$2" "$each" "$ratio"
	printf '#BENCH throughput=%s clients=%d runs_per_s=%.0f x_floor=%s\n' "$1" "$2" "$each" "$ratio"
}

# beside_least NAME: a request to it, and one to the least daemon that keeps warm jails.
beside_least() {
	leaf=$(leaf_group)
	# shellcheck disable=SC2086 # two words or none
	"$bench/floor" ${leaf:+-c "$leaf"} -w "$dir/least" "$js" $arena <"$dir/job" &
	least=$!
	until [ -S "$dir/least" ]; do
		kill -0 $least || exit 1
		sleep 0.02
	done
	"$bench/load" -r 100 -n "$rounds" "floor=$dir/least" "$1=$dir/$1" || bad=1
	wait $least || bad=1
}

# make_tenants N: a configuration with so many, and the user who measures as one of them.
make_tenants() {
	mkdir -p "$dir/config/tenants.d"
	: >"$dir/config/quodd.conf"
	printf '[Tenant]\nUser=%s\n' "$(id -un)" >"$dir/config/tenants.d/me.conf"
	for number in $(seq "$1"); do
		printf '[Tenant]\nUser=%s\n' $((100000 + number)) \
			>"$dir/config/tenants.d/idle$number.conf"
	done
}

"$bench/material" job '1+1' >"$dir/job"
start demand --runs 16 --pool 0
start pool --runs 16 --pool 16
daemons="pool=$dir/pool demand=$dir/demand"

printf 'one-line script on a kept connection, 100 a second, %s runs\n' "$rounds"
for daemon in $daemons; do
	"$bench/load" -r 100 -n "$rounds" "$daemon" || bad=1
done

printf '\nbeside the least daemon, %s interleaved rounds\n' "$rounds"
beside_least pool

printf '\nbeside quod run, %s interleaved rounds\n' "$rounds"
# shellcheck disable=SC2086 # words
"$bench/load" -n "$rounds" $daemons -- "$quod" run --engine duktape -e 1+1 || bad=1

printf '\nsustained, fresh namespaces for every run: %s slices of %s ms by turns with the floor\n' \
	"$slices" "$slice_ms"
for clients in 2 4 8; do
	for daemon in $daemons; do
		throughput "${daemon%%=*}" $clients
	done
done

printf '\nmemory after that\n'
for pid in $pids; do
	server=$(server_of "$pid")
	memory 'server rss' "$(awk '/^VmRSS/ { print $2 }' "/proc/$server/status")"
	memory 'monitor rss' "$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")"
	for jail in $(jails_of "$pid"); do
		awk '/^Pss:/ { print $2 }' "/proc/$jail/smaps_rollup" 2>/dev/null || true
	done >"$dir/pss"
	[ ! -s "$dir/pss" ] || memory 'warm jail pss' "$(median <"$dir/pss" | cut -d . -f 1)"
done

printf '\n%s idle tenants and %s warm jails beside one of each\n' "$tenants" "$warm"
make_tenants "$tenants"
start many --config "$dir/config" --runs 16 --pool "$warm"
server=$(server_of "$pid")
start one --runs 16 --pool 1
"$bench/load" -n "$rounds" "one=$dir/one" "many=$dir/many" || bad=1
memory 'server rss with many tenants' "$(awk '/^VmRSS/ { print $2 }' "/proc/$server/status")"

# p99 of SOCKET at 50 a second, as NAME.
p99_of() {
	"$bench/load" -r 50 -n "$rounds" "$1=$2" >"$dir/measured" || bad=1
	sed -n 's/.* p99_us=\([0-9]*\).*/\1/p' "$dir/measured"
}

# Two tenants; the other one comes at a hundred times his rate, on two connections.
fairness() {
	flooder=100000
	make_tenants 0
	printf '[Tenant]\nUser=%s\nRateLimitBurst=10\n' "$flooder" >"$dir/config/tenants.d/other.conf"
	start fair --config "$dir/config" --runs 16 --pool 16
	: >"$dir/ratios"
	for _ in $(seq "$slices"); do
		quiet=$(p99_of quiet "$dir/fair")
		for _ in 1 2; do
			setpriv --reuid=$flooder --regid=$flooder --clear-groups "$bench/load" -r 500 \
				-n 1000000 "flood=$dir/fair" >/dev/null 2>&1 &
			floods="$floods $!"
		done
		sleep 0.5
		flooded=$(p99_of flooded "$dir/fair")
		# shellcheck disable=SC2086 # words
		kill $floods
		floods=
		printf '  p99 of a tenant at 50 a second %8d us, beside the flood %8d us\n' "$quiet" "$flooded"
		awk -v a="$flooded" -v b="$quiet" 'BEGIN { print a / b }' >>"$dir/ratios"
		sleep 0.5
	done
	ratio=$(median <"$dir/ratios")
	printf '  x quiet %s\n#BENCH fairness_p99_x_quiet=%s\n' "$ratio" "$ratio"
	has_all=$(curl -s --unix-socket "$dir/fair" http://quodd/metrics |
		awk '/^quod_refusals_total/ { sum += $NF } END { print sum + 0 }')
	[ "$has_all" -gt 100 ] || {
		echo 'the flood was not refused: nothing was measured' >&2
		bad=1
	}
}

if [ "$(id -u)" = 0 ]; then
	printf '\nfairness: a tenant beside one who comes at a hundred times his rate\n'
	chmod 755 "$dir"
	fairness
else
	printf '\nfairness is not measured: only root can be two users\n'
fi

[ "$bad" = 0 ] || {
	echo 'some runs went wrong: see the column good' >&2
	exit 1
}
