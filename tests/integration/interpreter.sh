#!/bin/sh
# SPDX-License-Identifier: MIT
# An interpreter that is not there, is not right, or lies: one sentence, the right exit
# code, nothing left. What speaks wrongly is tests/integration/liar: its source says what it
# says.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/integration/refused.sh"
liar=$QUOD_TEST_BUILD/tests/integration/liar
# The jail's own user must be able to reach the copies.
chmod 755 "$dir"

# broken PART NAME: the interpreter $QUOD_JS cannot be started.
broken() {
	refused 125 "$1" "$2" "$quod" run -e 1
	has "$(cat "$dir/err")" "'$QUOD_JS'" "$2: its path is named"
}

test_files() {
	QUOD_JS=$dir/none
	broken 'No such file' 'it is not there'
	QUOD_JS=$dir
	broken 'not a regular file' 'a directory'
	QUOD_JS=/dev/null
	broken 'not a regular file' 'a device'
	mkfifo "$dir/fifo"
	QUOD_JS=$dir/fifo
	broken 'not a regular file' 'a fifo'
	QUOD_JS=/bin/sh
	broken 'not static' 'a dynamic program'
	QUOD_JS=$dir/file
	: >"$dir/file"
	chmod 755 "$dir/file"
	broken 'too short' 'an empty file'
	printf '#!/bin/sh\necho this is a script, as long as it takes to be longer than a header\n' \
		>"$dir/file"
	broken 'no 64-bit ELF program' 'a script'
	for bytes in 10 63 64 100 1000 5000 20000; do
		head -c $bytes "$quod_js" >"$dir/file"
		broken 'install it again' "its first $bytes bytes"
	done
	cp "$quod_js" "$dir/file"
	chmod 644 "$dir/file"
	broken 'chmod o+x' 'not executable'
	chmod 755 "$dir/file"
	run -e 1
	is "$code:$out" 0:1 'the same file, executable: works'
	chmod 711 "$dir/file"
	run -e 1
	is "$code:$out" 0:1 'a file that may be executed and not read: works'
}

# With a user of its own the jail cannot execute what only its owner may.
test_owner() {
	chmod 700 "$dir/file"
	QUOD_JS=$dir/file
	if "$quod" doctor | grep -q '^ids *works'; then
		broken 'chmod o+x' 'executable for its owner alone'
	else
		run -e 1
		is "$code:$out" 0:1 'executable for its owner, who the jail is: works'
	fi
	chmod 755 "$dir/file"
}

test_noexec() {
	mkdir "$dir/mnt"
	QUOD_JS=$dir/mnt/quod-js
	mounted='mount -t tmpfs -o $1 none "$2" && cp "$3" "$2/quod-js" && shift 3 && exec "$@"'
	refused 125 'mounted noexec' 'on a noexec mount' \
		unshare -rm sh -c "$mounted" sh noexec "$dir/mnt" "$quod_js" "$quod" run -e 1
	code=0
	unshare -rm sh -c "$mounted" sh exec "$dir/mnt" "$quod_js" "$quod" run -e 1 >"$dir/out" || code=$?
	is "$code:$(cat "$dir/out")" 0:1 'on the same mount, exec: works'
}

# What happens before it is ready is quod's failure to start it.
test_greeting() {
	while IFS='|' read -r source part; do
		refused 125 "$part" "$source" "$quod" run -e "$source"
	done <<-'END'
		version:5 wait|speaks protocol 5, this quod speaks 4
		version:0|speaks protocol 0
		version:4294967295 flood:x|speaks protocol 4294967295
		exit:0|exit status 0
		exit:7|exit status 7
		crash:16|SIGSEGV
		fill:1|does not greet
		raw:00 wait|does not greet
		frame:01: wait|does not greet
		frame:01:020000 wait|does not greet
		frame:01:0400000001000000 wait|does not greet
		claim:01:4294967295 wait|does not greet
		gate wait|does not greet
		log:x wait|does not greet
		claim:01:8 exit:0|exit status 0
		grumble:out-of-paper exit:9|out-of-paper
	END
}

# After that it is the run that ended badly. Each in its place, each malformed otherwise.
test_frames() {
	hello='ready gate go'
	while IFS='|' read -r source part; do
		run_json -e "$source"
		ends_as crashed 128 "$source"
		has "$(field .error.message)" "$part" "$source: $part"
	done <<-END
		ready ready wait|no place
		ready log:x wait|no place
		ready value:1 wait|no place
		ready end wait|no place
		ready gate gate wait|no place
		ready raw:03180000000000000000000000010000000000000000000000000000000403000000000078 wait|no place
		ready frame:02:ff000000000000000000000000 wait|contradict
		ready frame:02:000000000000000000000000 wait|contradict
		ready frame:02:0000000000 wait|contradict
		ready frame:02:00000000000000000000000000ff wait|not UTF-8
		ready frame:03:000000000000000000000000000000000000000000000000 wait|contradict
		ready frame:03:000000000000000003000000000000000000000000000000 wait|contradict
		ready frame:03:000000000000000001000000040000000000000000000000 wait|contradict
		ready frame:03:00 wait|contradict
		ready frame:03:00000000000000000100000000000000000000000000000078 wait|contradict
		ready frame:03:000000000000000001000000020000000000000000000000ff wait|not UTF-8
		ready claim:02:142 wait|longer than
		$hello frame:00: wait|unknown type
		$hello frame:41: wait|unknown type
		$hello frame:ff: wait|unknown type
		$hello frame:04: wait|contradict
		$hello frame:04:0578 wait|contradict
		$hello frame:04:0000ff wait|not UTF-8
		$hello frame:04:0000eda080 wait|not UTF-8
		$hello frame:04:000278 wait|contradict
		$hello claim:04:65539 wait|longer than
		$hello claim:04:4294967295 wait|longer than
		$hello claim:05:131078 wait|longer than
		$hello frame:05:0001 wait|contradict
		$hello frame:05:04000000003131 wait|contradict
		$hello frame:05:010200000031 wait|contradict
		$hello frame:05:0101000000783131 wait|not compact JSON
		$hello frame:05:0104000000313233203131 wait|not compact JSON
		$hello frame:05:0301000000313131 wait|contradict
		$hello frame:05:010400000074727565 wait|contradict
		$hello frame:05:00010000003131 wait|contradict
		$hello frame:05:0101000000ff3131 wait|not UTF-8
		$hello frame:06:0900000000000000000000000000000000000000 wait|contradict
		$hello frame:06:01000000000000000000000005000000000000006e wait|contradict
		$hello frame:06:010000000000000000000000ffffffffffffffff wait|contradict
		$hello frame:06:0100000000000000000000000100000000000000ff wait|not UTF-8
		$hello claim:06:30000 wait|longer than
		$hello frame:07:0900 wait|contradict
		$hello frame:07:0009 wait|contradict
		$hello frame:07:000000 wait|longer than
		ready frame:07:0100 wait|no place
		$hello value:1 frame:07:0102 wait|no place
		$hello frame:08:00 wait|contradict
		$hello end wait|no place
		$hello value:1 value:2 wait|no place
		$hello value:1 frame:09:00 wait|contradict
		$hello value:1 frame:09:00000000000000000100000000000000 wait|contradict
		$hello value:1 end log:late|no place
		$hello value:1 end raw:00|unknown type
		$hello value:1 end claim:04:10|no place
		$hello claim:04:10|an end in the middle
		$hello value:1 claim:09:16|an end in the middle
	END
}

# gate_frame ENGINE: one that says which engine will run.
gate_frame() {
	echo "frame:03:0000000000000000${1}000000000000000000000000000000"
}

# What another job might be told, but not this one.
test_jobs() {
	duktape=$(gate_frame 01) quickjs=$(gate_frame 02)
	while IFS='|' read -r engine gate status code shown; do
		run_json --engine "$engine" -e "ready $gate go value:1 end"
		ends_as "$status" "$code" "a job for $engine: $gate"
		is "$(field .engine)" "$shown" 'and the engine that the record names'
	done <<-END
		duktape|$quickjs|crashed|128|null
		quickjs|$duktape|crashed|128|null
		duktape|$duktape|ok|0|duktape
		quickjs|$quickjs|ok|0|quickjs
		auto|$duktape|ok|0|duktape
		auto|$quickjs|ok|0|quickjs
	END
	run_json --engine quickjs -e "ready $duktape go value:1 end"
	has "$(field .error.message)" 'does not fit its job' 'and why'
	missing=frame:02:$(rule_number engine)000000000000000000000000
	run_json --engine quickjs -e "ready $missing $duktape wait"
	ends_as rejected 3 'an interpreter without the engine that was asked for'
	is "$(field .engine)" null 'runs nothing'

	eval=frame:02:$(rule_number eval)010000000100000004000000
	printf '[Rule "eval"]\nMatch=\n' >"$dir/blind.policy"
	run_json -p "$dir/blind.policy" -e "ready $eval gate go value:1 end"
	ends_as crashed 128 'a finding of a rule that looks for nothing'
	has "$(field .error.message)" 'does not fit its job' 'and why'

	run_json -e "ready ${eval}610062000063 gate wait"
	ends_as rejected 3 'a finding with NUL in it'
	is "$(field '.gate.findings[0].message')" \
		'code is made from text with eval: a\x00b\x00\x00c' 'all of it is told'
}

# What is well-formed and still not true, or never comes to an end.
test_behaviour() {
	hello='ready gate go log:hi'
	# The gate's time is not the run's, but it ends as well.
	for source in "$hello wait" "$hello spin" "$hello value:1 wait" "$hello value:1 end wait" \
		"$hello value:1 end log:late wait" "$hello value:1 end fill:1" "$hello value:1 end fill:2" \
		'ready wait' 'ready spin' 'ready gate wait' 'ready fill:2'; do
		run_json --timeout 200ms -e "$source"
		ends_as timeout 124 "$source"
	done
	printf '[Limits]\nCPUTimeMaxSec=200ms\n' >"$dir/cpu.policy"
	for source in 'ready spin' "$hello spin"; do
		run_json -p "$dir/cpu.policy" -e "$source"
		ends_as cpu_limit 7 "CPU time: $source"
	done
	run_json -e "$hello flood:x"
	ends_as output_limit 6 'logs without an end'
	run_json -e 'ready gate go fill:1'
	ends_as crashed 128 'garbage without an end'
	run_json -e "$hello grumble:diagnosis exit:4"
	has "$(field .error.message)" diagnosis 'what it said on stderr is told'
	run_json -e "$hello value:1 end exit:1"
	ends_as crashed 128 'a complete result and a dirty exit'
	run_json -e "$hello frame:08:3e0000c029000000 call:41"
	is "$(field '.status + " " + .kill.syscall')" 'violation socket' 'the forbidden call is named'
	run_json -e "$hello frame:08:3e0000c029000000 call:57"
	is "$(field .status)" violation 'a call that is named wrongly is one all the same'
	findings=$(head -c 1300 /dev/zero | sed 's/\x0/frame:02:00000000000000000000000000 /g' | cut -c 1-60000)
	run_json -e "ready $findings"
	ends_as crashed 128 'too many findings'
	finding=frame:02:$(rule_number eval)01000000020000000400000078ff
	run_json -e "ready $finding gate go value:1 end"
	ends_as crashed 128 'a finding whose detail is no text'
	finding=${finding%ff}
	run_json -e "ready $finding gate go value:1 end"
	ends_as rejected 3 'a finding that denies'
	record_has '(.gate.findings | length) == 1 and (.gate.findings[0] | .rule == "eval" and .severity == "deny" and
		.line == 1 and .column == 2 and (.message | endswith(": x"))) and .value == null and
		.gate.decision == "rejected"' 'and what it says'
	run_json -p open -e "ready $finding gate go value:1 end"
	ends_as ok 0 'mode off: reported, and not blocked'
	record_has '.gate.findings[0].rule == "eval" and .gate.mode == "off"' 'and what it says'
}

# rule_number NAME: as in a finding, hexadecimal.
rule_number() {
	printf %02x $(($(grep -o '\.name = "[^"]*"' "$QUOD_TEST_SOURCE/policy/rules.c" |
		grep -n "\"$1\"" | cut -d : -f 1) - 1))
}

# Nothing of any of this stays: the same again, watched.
test_nothing_left() {
	for source in 'version:2 wait' 'fill:1' 'ready gate go raw:ff spin' 'ready gate go spin' \
		'ready gate go flood:x' 'ready gate go crash:16' 'ready gate go call:41' 'ready fill:2'; do
		"$QUOD_TEST_BUILD/tests/integration/orphans" "$dir/orphans" \
			"$quod" run --timeout 200ms -e "$source" >"$dir/out" 2>"$dir/err"
		is "$(cat "$dir/orphans")" 'orphans 0 left 0' "nothing left of: $source"
	done
}

# It takes quod a while to lose its patience with one that never greets.
QUOD_JS=$liar
"$QUOD_TEST_BUILD/tests/integration/orphans" "$dir/silent-orphans" \
	"$quod" run -e 'wait' >"$dir/silent" 2>&1 </dev/null &
silent=$!
test_files
test_owner
test_noexec
QUOD_JS=$liar
test_greeting
test_frames
test_jobs
test_behaviour
test_nothing_left
code=0
wait $silent || code=$?
is "$code $(cat "$dir/silent-orphans")" '125 orphans 0 left 0' 'one that never greets: given up'
has "$(cat "$dir/silent")" 'was not ready' 'and why'
tap_done
