#!/bin/sh
# SPDX-License-Identifier: MIT
# Signals, readers that go away, and a quod that is stopped or killed: the run ends in
# order, or its jail dies with quod; nothing is left. signals.sh [MOMENTS]: at how many
# moments of a run quod is killed.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
inmate=$QUOD_TEST_BUILD/tests/escape/inmate
parrot=$QUOD_TEST_BUILD/tests/integration/parrot
moments=${1:-60}
export dir quod inmate parrot moments
# Where a guest is known to run: it has said so.
export spin='console.log("now"); for (var n = 1; n > 0;);'
mkfifo "$dir/fifo"

# Shell functions for the scenes below. child_states PID: a letter for each child.
cat >"$dir/scene.sh" <<'END'
child_states() {
	cat /proc/[0-9]*/stat 2>/dev/null | sed 's/.*) //' | awk -v parent="$1" '$2 == parent { print $1 }'
}
# start COMMAND...: in the background, until its first line is there, in $line; SIGINT,
# which sh ignores for it, as at a prompt. The rest of what it says goes to $dir/out.
start() {
	env --default-signal=INT "$@" >"$dir/fifo" 2>"$dir/err" &
	pid=$!
	exec 3<"$dir/fifo"
	read -r line <&3
}
# finish: its exit code, when it has said everything.
finish() {
	cat <&3 >"$dir/out"
	exec 3<&-
	code=0
	wait $pid || code=$?
	echo "$line:$code"
}
END

# scene NAME WANTED SCRIPT: what the script prints is as wanted, and nobody is left. Nor is
# there an orphan, a jail that was not waited for, but where quod was killed: WANTED then
# ends with their number, "orphans N"; with "orphans *" where that is a matter of luck.
scene() {
	wanted=$2
	case $wanted in
	*orphans*) ;;
	*) wanted="$wanted orphans 0" ;;
	esac
	got=$(timeout -k 5 100 "$QUOD_TEST_BUILD/tests/integration/orphans" "$dir/orphans" \
		sh -c ". \"\$dir/scene.sh\"; $3" 2>"$dir/scene-err" </dev/null)
	got="$got $(cat "$dir/orphans")"
	case $wanted in
	*\*) got=$(printf '%s' "$got" | sed 's/orphans [0-9]*/orphans */') ;;
	esac
	is "$got" "$wanted left 0" "$1"
}

test_signals() {
	for signal in INT TERM HUP; do
		for kind in text ndjson; do
			scene "SIG$signal, $kind" 130 "
				start \"\$quod\" run -o $kind -e \"\$spin\"; kill -$signal \$pid
				finish >/dev/null; echo \$code"
		done
		record_in_last_line
		is "$(field '.status + " " + .kill.by + " " + .kill.reason')" \
			'cancelled supervisor cancelled' "SIG$signal: the record"
		record_has '.logs[0].text == "now" and .passed == false' "SIG$signal: the log is kept"
		scene "SIG$signal, exec" 'ready=1:130' "
			start \"\$quod\" exec -- \"\$inmate\" spin; kill -$signal \$pid; finish"
	done
	has "$(cat "$dir/err")" 'cancelled' 'stderr says so'
	scene 'a hang-up that the caller ignores' 'now:124' '
		trap "" HUP; start "$quod" run --timeout 500ms -e "$spin"; kill -HUP $pid; finish'
	scene 'Ctrl-C for another, which the caller ignores' 124 '
		"$quod" run --timeout 500ms -e "$spin" >"$dir/fifo" 2>"$dir/err" & pid=$!
		exec 3<"$dir/fifo"; read -r line <&3; kill -INT $pid; finish >/dev/null; echo $code'
	scene 'many signals at once' 'now:130' '
		start "$quod" run -e "$spin"; kill -TERM $pid; kill -INT $pid; kill -TERM $pid; finish'
	scene 'a signal before the source was read' '143' '
		"$quod" run - <"$dir/fifo" & pid=$!
		exec 3>"$dir/fifo"; until [ "$(cat /proc/$pid/comm)" = quod ]; do :; done
		kill -TERM $pid; wait $pid || echo $?'
}

record_in_last_line() {
	tail -n 1 "$dir/out" >"$dir/last"
	mv "$dir/last" "$dir/out"
}

test_readers() {
	scene 'the reader goes while the script runs' 'now:130' '
		start "$quod" run -e "$spin"; exec 3<&-; wait $pid; echo "$line:$?"'
	scene 'the reader goes in exec' 'ready=1:130' '
		start "$quod" exec -- "$inmate" pause; exec 3<&-; wait $pid; echo "$line:$?"'
	scene 'the reader of exec goes in a flood' '130' '
		"$quod" exec -- "$inmate" flood >"$dir/fifo" 2>"$dir/err" & pid=$!
		head -c 100000 <"$dir/fifo" >"$dir/out"; wait $pid; echo $?'
	scene 'the reader of the record goes in the middle of it' 130 '
		"$quod" run -o json -e "console.log(new Array(65001).join(\"\\1\"))" >"$dir/fifo" 2>"$dir/err" &
		pid=$!; exec 3<"$dir/fifo"; dd bs=1 count=1 <&3 >"$dir/out" 2>"$dir/err"; exec 3<&-
		wait $pid; echo $?'
	scene 'nobody reads, and a signal comes' '130' '
		"$quod" run -o ndjson -e "for (;;) console.log(new Array(500).join(\"x\"))" \
			>"$dir/fifo" 2>"$dir/err" & pid=$!
		exec 3<"$dir/fifo"; dd bs=1 count=1 <&3 >"$dir/out" 2>"$dir/rest"
		while [ -n "$(child_states $pid)" ]; do :; done
		kill -TERM $pid; wait $pid; echo $?'
}

# The jail holds no other end of quod than its pipes and its parent: it dies with it.
# The spinning ones would live until their CPU time is used up, the others for ever.
test_killed() {
	scene 'SIGKILL of quod: the spinning script dies' 'now:137 orphans 1' '
		start "$quod" run -e "$spin"; kill -KILL $pid; finish'
	scene 'SIGKILL of quod: the script that sleeps dies' 'now:137 orphans 1' '
		start "$quod" run -e "console.log(\"now\"); setTimeout(function () {}, 1e9)"
		kill -KILL $pid; finish'
	scene 'SIGKILL of exec: the program dies' 'ready=1:137 orphans 1' '
		start "$quod" exec -- "$inmate" spin; kill -KILL $pid; finish'
	scene 'SIGKILL of exec: the program that sleeps dies' 'ready=1:137 orphans 1' '
		start "$quod" exec -- "$inmate" pause; kill -KILL $pid; finish'
	# At any moment: the jail may be made, half made or not at all.
	scene 'SIGKILL at any moment: no jail lives on' "$moments orphans *" '
		n=0; while [ $n -lt $moments ]; do
			"$quod" run -e "for (;;);" >/dev/null 2>&1 & pid=$!
			i=0; while [ $i -lt $((n * n * 14400 / moments / moments)) ]; do i=$((i + 1)); [ -e "$dir/fifo" ]; done
			kill -KILL $pid; wait $pid 2>/dev/null; n=$((n + 1))
		done; echo $n'
}

# Cancelled it is, or over before it began; never a success, however far set-up was.
test_cancelled_exec() {
	scene 'SIGTERM of exec at any moment' "$moments" '
		n=0; while [ $n -lt $moments ]; do
			"$quod" exec -- "$inmate" pause >/dev/null 2>&1 & pid=$!
			i=0; while [ $i -lt $((n * n * 14400 / moments / moments)) ]; do i=$((i + 1)); [ -e "$dir/fifo" ]; done
			kill -TERM $pid; wait $pid; code=$?
			case $code in 130 | 143) n=$((n + 1)) ;; *) echo "exit code $code"; break ;; esac
		done; echo $n'
}

# More than a pipe holds, and less than two of them that are badly filled; its program gone, a signal, and only then a reader.
test_late_signal() {
	head -c 80000 /dev/zero | tr "\0" x >"$dir/sent"
	scene 'a late signal does not cut off what exec has to say' '80000:0' '
		"$quod" exec -- "$parrot" <"$dir/sent" >"$dir/fifo" 2>"$dir/err" & pid=$!
		exec 3<"$dir/fifo"; dd bs=1 count=1 <&3 >"$dir/out" 2>"$dir/rest"
		while [ -n "$(child_states $pid)" ]; do :; done
		kill -TERM $pid; sleep 0.1; cat <&3 >>"$dir/out"; code=0; wait $pid || code=$?
		echo "$(wc -c <"$dir/out"):$code"'
}

# The program has ended well, and what it said does not reach anybody.
test_lost() {
	scene 'a signal, and nobody reads the rest of exec' '130' '
		"$quod" exec -- "$parrot" <"$dir/sent" >"$dir/fifo" 2>"$dir/err" & pid=$!
		exec 3<"$dir/fifo"; dd bs=1 count=1 <&3 >"$dir/out" 2>"$dir/rest"
		while [ -n "$(child_states $pid)" ]; do :; done
		kill -TERM $pid; wait $pid; echo $?'
	has "$(cat "$dir/err")" 'quod: cancelled: ' 'and stderr says so'
	scene 'the reader of exec goes before the rest' '130' '
		"$quod" exec -- "$parrot" <"$dir/sent" >"$dir/fifo" 2>"$dir/err" & pid=$!
		exec 3<"$dir/fifo"; dd bs=1 count=1 <&3 >"$dir/out" 2>"$dir/rest"
		while [ -n "$(child_states $pid)" ]; do :; done
		exec 3<&-; wait $pid; echo $?'
}

# One signal is enough, whatever is still to be said, and to whom.
test_nobody_reads() {
	scene 'exec: a signal while it runs, and nobody reads stderr either' '130' '
		"$quod" exec -- "$inmate" flood >"$dir/fifo" 2>&1 & pid=$!
		exec 3<"$dir/fifo"; dd bs=1 count=1 <&3 >"$dir/out" 2>"$dir/rest"
		kill -TERM $pid; wait $pid; echo $?'
	scene 'exec: a signal after its time, and nobody reads stderr either' '124' '
		"$quod" exec --timeout 300ms -- "$inmate" flood >"$dir/fifo" 2>&1 & pid=$!
		exec 3<"$dir/fifo"; dd bs=1 count=1 <&3 >"$dir/out" 2>"$dir/rest"
		while [ -n "$(child_states $pid)" ]; do :; done
		kill -TERM $pid; wait $pid; echo $?'
	scene 'run: a signal while it runs, and nobody reads' '130' '
		"$quod" run -o ndjson -e "for (;;) console.log(new Array(500).join(\"x\"))" \
			>"$dir/fifo" 2>&1 & pid=$!
		exec 3<"$dir/fifo"; dd bs=1 count=1 <&3 >"$dir/out" 2>"$dir/rest"
		kill -TERM $pid; wait $pid; echo $?'
	printf "{\"id\":\"a\",\"input\":1}\n%.0s" 1 2 >"$dir/cases"
	scene 'cases: a signal while one runs, and nobody reads' '130' '
		"$quod" run -o json --cases "$dir/cases" -e "console.log(new Array(65001).join(\"\\1\"))" \
			>"$dir/fifo" 2>&1 & pid=$!
		exec 3<"$dir/fifo"; dd bs=1 count=2 <&3 >"$dir/out" 2>"$dir/rest"
		kill -TERM $pid; wait $pid; echo $?'
}

# The run that it tries has blocked the signals by then, for which SIGPIPE's being ignored
# is the sign.
test_doctor() {
	scene 'doctor: a signal, and nobody reads' '130' '
		exec 3<>"$dir/fifo"
		dd if=/dev/zero of="$dir/fifo" oflag=nonblock bs=4096 count=1000 2>"$dir/rest"
		env --default-signal=PIPE "$quod" doctor >&3 & pid=$!
		until grep -q "^SigIgn:.*[13579bdf]...$" /proc/$pid/status; do :; done
		kill -TERM $pid; wait $pid; echo $?'
}

# Stopped, quod cannot look at the clock: the kernel's limit on CPU time holds instead.
test_stopped() {
	scene 'SIGSTOP and SIGCONT: the deadline still holds' 'now:124' '
		start "$quod" run -o ndjson --timeout 500ms -e "$spin"; line=now
		kill -STOP $pid; sleep 1; kill -CONT $pid; finish'
	scene 'stopped for longer: the jail is killed by the kernel' 'now:7' '
		start "$quod" run -o ndjson --timeout 500ms -e "$spin"; line=now
		kill -STOP $pid; while [ "$(child_states $pid)" != Z ]; do sleep 0.1; done
		kill -CONT $pid; finish'
	record_in_last_line
	is "$(field '.status + " " + .kill.by + " " + .kill.reason')" \
		'cpu_limit kernel cpu_limit' 'and the record says so'
	record_has '.usage.cpu_ms >= 500 and .logs[0].text == "now"' 'with the time, and the log'
	scene 'exec: stopped, its program is killed by the kernel' 'now:152' '
		start "$quod" exec --timeout 500ms -- "$inmate" spin; line=now
		kill -STOP $pid; while [ "$(child_states $pid)" != Z ]; do sleep 0.1; done
		kill -CONT $pid; finish'
	has "$(cat "$dir/err")" 'quod: cpu_limit: ' 'exec: and says so'
}

test_signals
test_readers
test_killed
test_cancelled_exec
test_late_signal
test_lost
test_nobody_reads
test_doctor
test_stopped
tap_done
