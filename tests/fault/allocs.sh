#!/bin/sh
# SPDX-License-Identifier: MIT
# Every allocation of quod's fails once. A run that goes on is as ever, or it is an
# internal_error (exit 125) that says why; a command line that does not fit in memory is
# refused (exit 2), and what cannot be told in full is told in short. Nothing is left
# behind.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
short=$QUOD_TEST_BUILD/tests/fault/quod-short

printf '{"id":"a","input":1}\n{"id":"b","input":[2]}\n' >"$dir/cases"

# What a caller acts on: without ids, times and what was measured.
essence() {
	sed -e 's/"id":"[0-9A-Z]*",//' -e 's/"t_ms":[0-9.]*//g' -e 's/"usage":{[^}]*}//g' \
		-e 's/"started_at":"[^"]*"//g' "$dir/out"
}

# spoil N ARG...: with the N-th allocation spoilt, after it $code and, in $dir, out and err.
spoil() {
	spoil_n=$1
	shift
	: >"$dir/told"
	code=0
	QUOD_SPOIL=$spoil_n timeout -k 5 60 "$QUOD_TEST_BUILD/tests/integration/orphans" \
		"$dir/orphans" "$short" "$@" </dev/null >"$dir/out" 2>"$dir/err" \
		9>"$dir/told" || code=$?
}

# What is wrong with this end; nothing if it may be.
judge() {
	[ "$(cat "$dir/orphans")" = 'orphans 0 left 0' ] || cat "$dir/orphans"
	[ "$code:$(essence):$(cat "$dir/err")" != "$wanted" ] || return
	case $code in
	125)
		grep -q -e '"status":"internal_error"' -e '"type":"result"' "$dir/out" ||
			grep -q '^quod: ' "$dir/err" || echo 'it does not say why'
		;;
	2 | "${wanted%%:*}")
		grep -q -i -e '^quod: .*memory' -e "^$dir/[^ ]*: .*memory" "$dir/err" ||
			echo 'it does not say why'
		;;
	*)
		echo "exit code $code"
		;;
	esac
}

# each NAME ARG...: all allocations of `quod ARG`.
each() {
	name=$1
	shift
	spoil 0 "$@"
	wanted=$code:$(essence):$(cat "$dir/err")
	n=1
	wrong=
	while spoil $n "$@" && [ -s "$dir/told" ]; do
		wrong=$(judge)
		[ -z "$wrong" ] || break
		n=$((n + 1))
	done
	# So many there are at least: else the telling has been lost.
	least=1
	case $name in *json) least=20 ;; esac
	if [ -z "$wrong" ] && [ $n -gt $least ]; then
		pass "$name: each of $((n - 1)) allocations"
	else
		fail "$name: allocation $n" "$wrong
$(head -c 1000 "$dir/out" "$dir/err")"
	fi
}

script='for (var i = 0; i < 40; i++) console.log("line", i); ({a: [1, 2]})'
each 'run, json' run -o json -e "$script"
each 'run, ndjson' run -o ndjson -e "$script"
each 'run, text' run -e "$script"
each 'run, an input' run -o json --input-json '[1,{"b":2}]' -e 'input'
each 'run, an error' run -o json -e 'throw new TypeError("no")'
each 'run, a file' run -o json "$QUOD_TEST_SOURCE/examples/fibonacci.js"
each 'run, no script' run -o json -e 'syntax error here'
each 'run, rejected' run -o json "$quod"
each 'run, cases' run -o json --cases "$dir/cases" -e 'input'
each 'exec' exec -- "$QUOD_TEST_BUILD/tests/escape/inmate" environment x
each 'exec, over its time' exec --timeout 1s -- "$QUOD_TEST_BUILD/tests/escape/inmate" spin
each 'help' run --help
mkdir "$dir/policies" "$dir/policies/ci.policy.d"
printf '[Run]\nGlobals=Math JSON\n[Rule "x"]\nMatch=new A\nSeverity=warn\nMessage=no\n' \
	>"$dir/policies/ci.policy"
printf '[Limits]\nLogMax=1K\n' >"$dir/policies/ci.policy.d/1.conf"
chmod -R go-w "$dir/policies"
QUOD_POLICY_PATH=$dir/policies
export QUOD_POLICY_PATH
each 'run, a policy from files' run -p ci -o json -e 1
each 'run, no such policy' run -p cj -o json -e 1
each 'policy show' policy show ci
each 'policy test' policy test "$dir/policies/ci.policy"
each 'policy list' policy list
tap_done
