#!/bin/sh
# SPDX-License-Identifier: MIT
# What is odd about the caller does not reach a run. What he left open: a quod that reads
# what a guest wrote does not have it any more; what he named by its number is read before.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/integration/refused.sh"
inmate=$QUOD_TEST_BUILD/tests/escape/inmate
echo secret >"$dir/secret"
echo '1 + input' >"$dir/source"
echo 41 >"$dir/input"
printf '{"id":"a","input":1}\n{"id":"b","input":2}\n' >"$dir/cases"
loop='console.log("up"); for (var n = 1; n > 0;);'

# leaks PID: the numbers by which it has the secret.
leaks() {
	for fd in "/proc/$1/fd"/*; do
		[ "$(readlink "$fd")" != "$dir/secret" ] || printf '%s ' "${fd##*/}"
	done
}

# holds_nothing NAME LINE ARGS...: the line is there once the guest runs.
holds_nothing() {
	inherited_name=$1
	inherited_line=$2
	shift 2
	rm -f "$dir/out"
	"$quod" "$@" </dev/null >"$dir/out" 2>"$dir/err" \
		3<"$dir/secret" 4<"$dir/secret" 6<"$dir/secret" 9<>"$dir/secret" &
	pid=$!
	await_line "$dir/out" "$inherited_line"
	is "$(leaks $pid)" '' "$inherited_name: nothing is kept"
	has "$(cat "$dir/out")" "$inherited_line" "$inherited_name: it runs"
	kill $pid
	wait $pid
}

test_closed() {
	holds_nothing run up run -o ndjson -e "$loop"
	holds_nothing exec ready=1 exec -- "$inmate" spin
	rm -f "$dir/out"
	"$quod" run -o ndjson --cases "$dir/cases" -e "$loop" </dev/null >"$dir/out" 2>"$dir/err" \
		9<>"$dir/secret" &
	pid=$!
	await_line "$dir/out" up
	is "$(leaks $pid)$(leaks "$(child_of $pid)")" '' 'cases: neither by quod nor by a case'
	kill $pid
	wait $pid
}

test_named() {
	run --input /dev/fd/8 /dev/fd/9 8<"$dir/input" 9<"$dir/source"
	is "$code:$out" 0:42 'a source and an input that are named by number'
	run -o json --cases /dev/fd/8 /dev/fd/9 8<"$dir/cases" 9<"$dir/source"
	is "$code:$(jq -r '.[].value' "$dir/out" | paste -s -d ,)" 0:2,3 'cases that are'
	code=0
	"$quod" exec -- /dev/fd/9 exit 7 9<"$inmate" </dev/null || code=$?
	is $code 7 'a program that is'
}

# mask PID
mask() {
	awk '$1 == "Umask:" { print $2 }' "/proc/$1/status"
}

# What quod makes on the host, for this run and later ones, it must be able to enter.
test_umask() {
	for umask in 0777 0000; do
		: >"$dir/err"
		rm -f "$dir/out"
		# The words of sh -c are its own.
		# shellcheck disable=SC2016
		sh -c 'umask "$1"; shift; exec "$@"' sh $umask "$quod" run -o ndjson -e "$loop" \
			</dev/null >"$dir/out" 2>"$dir/err" &
		pid=$!
		await_line "$dir/out" up
		is "$(mask $pid) $(mask "$(child_of $pid)")" '0077 0077' "umask $umask: is not kept"
		kill $pid
		wait $pid
	done
}

# A caller who may give ids away and cannot write down which: as in a container whose /run
# is somebody else's. Only where he has such ids is there such a caller.
test_no_lease() {
	"$quod" doctor | grep -q '^ids .*root mode' || return 0
	may='+setuid,+setgid'
	# He need not see the tree that we are in.
	chmod 755 "$dir"
	cp "$quod" "$inmate" "$dir/"
	set -- setpriv --reuid 65533 --regid 65533 --clear-groups --inh-caps $may \
		--ambient-caps $may "$dir/quod"
	refused 125 "quod: internal_error: uid-lease: " 'uids cannot be leased: said' \
		"$@" exec -- "$dir/inmate" exit 0
	refused 125 "of the caller's own" 'and what mends it' "$@" exec -- "$dir/inmate" exit 0
	code=0
	"$@" doctor -o json >"$dir/out" || code=$?
	is $code 1 'the doctor has tried it'
	record_has '.. | objects | select(.name? == "ids") | (.found | contains("Permission"))
		and (.remedy | contains("/run/quod"))' 'and says what mends it'
}

# Who may be scheduled so is root; others have no such quod to start.
test_deadline() {
	set -- chrt --deadline --sched-runtime 5000000 --sched-deadline 10000000 \
		--sched-period 10000000
	"$@" 0 true 2>"$dir/err" || return 0
	refused 125 'such a task may have no child' 'scheduled by deadline: said' \
		"$@" 0 "$quod" exec -- "$inmate" exit 3
	code=0
	"$@" --reset-on-fork 0 "$quod" exec -- "$inmate" exit 3 </dev/null || code=$?
	is $code 3 'as the message says, it works'
}

test_closed
test_named
test_umask
test_no_lease
test_deadline
tap_done
