#!/bin/sh
# SPDX-License-Identifier: MIT
# What a user can get wrong on the command line and around it: each ends in one sentence
# with the right exit code, and nothing has run.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/integration/refused.sh"

test_sources() {
	refused 2 "'$dir/none.js': No such file" 'a file that is not there' "$quod" run "$dir/none.js"
	refused 2 "it is a directory" 'a directory' "$quod" run "$dir"
	refused 2 "cannot read '/proc/self/mem'" 'a file that cannot be read' "$quod" run /proc/self/mem
	echo 1 >"$dir/secret.js"
	chmod 000 "$dir/secret.js"
	if ! [ -r "$dir/secret.js" ]; then
		refused 2 'Permission denied' 'a file that may not be read' "$quod" run "$dir/secret.js"
	fi
	refused 2 'No such file' 'an input that is not there' "$quod" run --input "$dir/none" -e 1
	refused 2 'it is a directory' 'an input that is a directory' "$quod" run --input / -e 1
	refused 2 'a source is missing' 'no source' "$quod" run
	refused 2 'two sources' 'two sources' "$quod" run -e 1 "$dir/x.js"
	refused 2 'one source at a time' 'two files' "$quod" run a.js b.js
	printf 'a\nb\377c' >"$dir/bad.js"
	refused 3 '0xff at offset 3' 'invalid UTF-8: its offset' "$quod" run "$dir/bad.js"
	run_json "$dir/bad.js"
	record_has '.gate.findings[0] | .rule == "source-encoding" and .line == 2 and .column == 2' \
		'invalid UTF-8: rule, line and column'
	while IFS='|' read -r octal offset name; do
		printf "'ok'; $octal" >"$dir/bad.js"
		refused 3 "at offset $offset " "UTF-8: $name" "$quod" run "$dir/bad.js"
	done <<-'END'
		\300\200|6|an overlong NUL
		\355\240\200|6|a surrogate
		\364\220\200\200|6|beyond the last character
		\342\202|6|cut at the end
		\200|6|a continuation alone
		\360\237\230|6|three of four bytes
	END
	: >"$dir/empty.js"
	run "$dir/empty.js"
	is "$code:$out:$err" 0:: 'an empty file is an empty program'
	head -c 100 /dev/zero >"$dir/nul.js"
	run_json "$dir/nul.js"
	record_has '.status == "error" and .error.name == "SyntaxError"' 'a file of NUL bytes'
	refused 3 '64 KiB' 'a source that is too long' "$quod" run "$QUOD_TEST_BUILD/quod"
	run_json - <&-
	is "$code $(field .value_text)" '0 undefined' 'stdin closed: an empty source'
	refused 2 'not JSON' 'an empty input' "$quod" run --input - -e 1
}

# shellcheck disable=SC2120 # the words are set below
test_options() {
	while IFS='|' read -r args part; do
		eval "set -- $args"
		refused 2 "$part" "quod $args" "$quod" "$@"
	done <<-'END'
		|a command is missing
		rnu|did you mean run?
		frobnicate|unknown command 'frobnicate'
		run --verdit -e 1|did you mean --verdict?
		run --timout=1s -e 1|did you mean --timeout?
		run --inputjson 1 -e 1|did you mean --input-json?
		run --zzzzzzzz -e 1|unknown option '--zzzzzzzz'
		run -z -e 1|unknown option '-z'
		run -e|needs a value
		run --timeout|needs a value
		run --verdict=yes -e 1|takes no value
		run -e 1 -e 2|given twice
		run --seed 1 --seed 2 -e 1|given twice
		run -p nosuch -e 1|no policy is called 'nosuch'
		run -p verfy -e 1|verify
		run -p "" -e 1|'' cannot be a policy's name
		run --engine v8 -e 1|auto, duktape, quickjs
		run --mode loose -e 1|strict, standard, off
		run -o xml -e 1|text, json, ndjson
		run --input-json 1 --input /dev/null -e 1|two inputs
		run --input - -|both come from stdin
		run --cases x --input-json 1 -e 1|leave --input-json out
		run --input-json "{" -e 1|not JSON at offset 1
		run --input-json "1 2" -e 1|not JSON at offset 2
		run --input-json "{\"a\":1,}" -e 1|not JSON at offset
		run --input-json "" -e 1|not JSON at offset 0
		run --now yesterday -e 1|2024-02-29T12:00:00Z
		run --now 2023-02-29T00:00:00Z -e 1|--now
		doctor now|it takes no argument
		doctor -o ndjson|text, json
		version 2|it takes no argument
	END
	# What a program leaves to those who start it.
	while IFS='|' read -r wanted args part; do
		eval "set -- $args"
		refused "$wanted" "$part" "quod $args" "$quod" "$@"
	done <<-'END'
		125|exec|a PROGRAM is missing
		125|exec --|a PROGRAM is missing
		127|exec -- /nosuch/program|No such file
		125|exec --memory 1G -- /bin/true|at most 32 MiB
	END
}

# Plain decimal digits in range, with a unit where there is one; nothing else is a number.
test_numbers() {
	for word in '' ' ' 0x10s 1e3s -1s +1s 01s ' 1s' '1s ' 1.5s 1:s 1_0s 1,0s ١s NaN s ms \
		5x 5MS 5h5 18446744073709551616s 99999999999999999999999999s 18446744073709551615s; do
		refused 2 --timeout "--timeout '$word'" "$quod" run --timeout "$word" -e 1
	done
	for word in '' 0x10M 1e3M -1M +1M 01M 1.5M M 5Q 5MB 5m 17592186044416M 99999999999999999999G; do
		refused 2 --memory "--memory '$word'" "$quod" run --memory "$word" -e 1
	done
	for word in '' 0x10 1e3 -1 +1 01 ' 1' '1 ' 1.5 1: ١ NaN 18446744073709551616; do
		refused 2 --seed "--seed '$word'" "$quod" run --seed "$word" -e 1
	done
	for word in '' 1e3 +1 1.5 2024-02-29 2024-13-01T00:00:00Z 2024-01-01T24:00:00Z \
		2024-01-01T00:00:00 2024-01-01T00:00:00.0001Z 99999999999999999999 -1 \
		1969-12-31T23:59:59Z 2263-01-01T00:00:00Z; do
		refused 2 --now "--now '$word'" "$quod" run --now "$word" -e 1
	done
}

test_outputs() {
	for kind in text json ndjson; do
		code=0
		"$quod" run -o $kind -e 'console.log(1); 2' >/dev/full 2>"$dir/err" || code=$?
		is "$code $(wc -l <"$dir/err" | tr -d ' ')" '125 1' "$kind: stdout is full"
		has "$(cat "$dir/err")" 'stdout: No space left' "$kind: and why"
		code=0
		"$quod" run -o $kind -e '2' >&- 2>"$dir/err" || code=$?
		is "$code $(cat "$dir/err")" '0 ' "$kind: stdout closed is stdout to nowhere"
	done
	for command in version --help 'run --help' doctor 'doctor -o json'; do
		code=0
		# shellcheck disable=SC2086
		"$quod" $command >/dev/full 2>"$dir/err" || code=$?
		is "$code $(grep -c 'No space left' "$dir/err")" '125 1' "$command: stdout is full"
	done
	code=0
	"$quod" run -e 'console.warn(1); throw 2' 2>/dev/full >"$dir/out" || code=$?
	is "$code" 1 'stderr full does not change the outcome'
	code=0
	"$quod" run -e 'console.warn(1); 5' 2>&- >"$dir/out" || code=$?
	is "$code:$(cat "$dir/out")" 0:5 'stderr closed: nothing of it lands elsewhere'
	code=0
	"$quod" run -e 5 <&- >&- 2>&- || code=$?
	is $code 0 'all three closed'
}

# Fewer and fewer of what quod needs: it works, or it says what is missing; never half.
scarce() {
	for amount in $3; do
		code=0
		(
			ulimit "$2" "$amount"
			exec "$quod" run -e 42
		) </dev/null >"$dir/out" 2>"$dir/err" || code=$?
		case "$code:$(cat "$dir/out"):$(wc -l <"$dir/err" | tr -d ' ')" in
		0:42:0) pass "$1 $amount: works" ;;
		125::1) has "$(cat "$dir/err")" 'quod: ' "$1 $amount: refused" ;;
		*) fail "$1 $amount" "exit code $code, $(cat "$dir/out" "$dir/err")" ;;
		esac
	done
}

test_scarcity() {
	scarce 'open files' -n '24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3'
	has "$(cat "$dir/err")" 'quod: ' 'three open files are too few'
	scarce 'kilobytes of address space' -v '40000 16000 4000 3000'
	has "$(cat "$dir/err")" 'quod: internal_error: ' 'three megabytes are too few'
	scarce 'kilobytes of stack' -s '8191 512'
	has "$(cat "$dir/err")" 'ulimit -Hs' 'a small stack: what to do'
}

# In a user namespace of our own its limits are ours to set.
test_namespaces_off() {
	for kind in user:user net:network pid:pid mnt:mount ipc:ipc uts:uts cgroup:cgroup; do
		name=max_${kind%:*}_namespaces
		probe=${kind#*:}
		[ "$probe" != network ] || probe=net
		off='echo 0 >/proc/sys/user/'$name' && exec "$@"'
		refused 125 "${kind#*:} namespaces are off: sysctl -w user.$name" "no ${kind#*:} namespaces" \
			unshare -Ur sh -c "$off" sh "$quod" run -e 1
		run_off=0
		unshare -Ur sh -c "$off" sh "$quod" doctor -o json >"$dir/out" 2>"$dir/err" || run_off=$?
		is "$run_off" 1 "no ${kind#*:} namespaces: the doctor's exit code"
		record_has ".can_run == false and ([.probes[] | select(.name == \"$probe namespace\")] |
			.[0].state == \"fails\" and (.[0].remedy | contains(\"user.$name\")))" \
			"no ${kind#*:} namespaces: the doctor says what to do"
	done
}

test_sources
test_options
test_numbers
test_outputs
test_scarcity
test_namespaces_off
tap_done
