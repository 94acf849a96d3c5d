#!/bin/sh
# SPDX-License-Identifier: MIT
# Every status, its exit code, and the shape of what comes out: each key of the record is
# always there and of its type, every output is JSON where it claims to be. What an honest
# interpreter never does is done by tests/integration/liar.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
liar=$QUOD_TEST_BUILD/tests/integration/liar

# The keys of a record and their types, once. shape gives the paths that are wrong.
cat >"$dir/shape.jq" <<'END'
def of($names): . as $v | $names | split("|") | index($v | type) != null;
def object($types; f): if type != "object" then "no object: \(.)"
	elif (keys == ($types | keys)) then
		(to_entries[] | . as $e |
			select($e.value | of($types[$e.key]) | not) | "\($e.key): \($e.value)"), f
	else "keys: \(keys)" end;
def whole: type == "number" and . == floor and . >= 0;
def empty_or($what): if . then empty else $what end;
def error: object({name: "string|null", message: "string", line: "number|null",
	column: "number|null", stack: "string|null", phase: "string|null"};
	(.phase | IN("parse", "run", "result", null)) | empty_or("phase"));
def finding: object({rule: "string", severity: "string", line: "number|null",
	column: "number|null", span: "number|null", blocks: "boolean", message: "string",
	why: "string|null"};
	(.severity | IN("info", "warn", "deny")) | empty_or("severity"));
def log: object({level: "string", text: "string", t_ms: "number"};
	(.level | IN("log", "info", "debug", "warn", "error")) | empty_or("level"));
def limits: object({wall_ms: "number", cpu_ms: "number", cpu_percent: "number",
	memory_bytes: "number", source_bytes: "number", stack_frames: "number",
	value_bytes: "number", log_bytes: "number", log_lines: "number", processes: "number"};
	all(.[]; whole) | empty_or("limits"));
def enforced: object({wall: "string", cpu: "string", memory: "string", processes: "string"};
	all(.[]; IN("cgroup", "rlimit", "engine", "filter", "supervisor")) | empty_or("by"));
def usage: object({wall_ms: "number", cpu_ms: "number", memory_peak_bytes: "number", processes_peak: "number|null",
	setup_ms: "number", queue_ms: "number", value_bytes: "number", log_bytes: "number"};
	all(.[] | numbers; . >= 0) | empty_or("usage"));
def kill: object({by: "string", reason: "string", signal: "string|null",
	syscall: "string|null"};
	(.by | IN("supervisor", "kernel", "filter")) | empty_or("killer"));
def gate: object({mode: "string", decision: "string|null", findings: "array",
	complexity: "number|null", nesting: "number|null", modern: "object|null"}; .findings[] | finding);
def record: object({id: "string", status: "string", passed: "boolean",
	value: "null|boolean|number|string|array|object", value_is_json: "boolean",
	value_text: "string|null", logs: "array", logs_truncated: "boolean",
	error: "object|null", gate: "object", review: "null", engine: "string|null",
	policy: "string", tenant: "null", limits: "object", enforced_by: "object",
	usage: "object", kill: "object|null", started_at: "string"};
	(.id | test("^[0-7][0-9A-HJKMNP-TV-Z]{25}$") | empty_or("id")),
	(.started_at | test("^[0-9-]{10}T[0-9:.]{12}Z$") | empty_or("started_at")),
	(.logs[] | log), (.gate | gate), (.limits | limits), (.enforced_by | enforced),
	(.usage | usage), (select(.error) | .error | error), (select(.kill) | .kill | kill));
END

# shape_is_right NAME: of the record in $dir/out.
shape_is_right() {
	cp "$dir/shape.jq" "$dir/now.jq"
	echo record >>"$dir/now.jq"
	is "$(jq -c -f "$dir/now.jq" "$dir/out" 2>&1)" '' "$1: every key, of its type"
	is "$(wc -l <"$dir/out" | tr -d ' ')" 1 "$1: one line"
}

# ends STATUS CODE KILLER SENTENCE ARGS...: in all three kinds of output. KILLER as "by
# reason signal syscall", or null; SENTENCE: what stderr says of it, or nothing at all.
ends() {
	status=$1
	wanted_code=$2
	killer=$3
	sentence=$4
	shift 4
	run_json "$@"
	ends_as "$status" "$wanted_code" "$status: status and exit code"
	is "$(field '.kill | if . then "\(.by) \(.reason) \(.signal) \(.syscall)" else . end')" \
		"$killer" "$status: who killed, and why"
	shape_is_right "$status"

	run "$@"
	is $code "$wanted_code" "$status: the same exit code for text"
	if [ -z "$sentence" ]; then
		is "$err" '' "$status: no word on stderr"
	else
		has "$err" "quod: $sentence" "$status: stderr says why"
	fi

	run -o ndjson "$@"
	is $code "$wanted_code" "$status: the same exit code for ndjson"
	is "$(jq -s -c '[.[:-1][].event | IN("log", "value", "error", "finding") | not] | any' \
		"$dir/out" 2>&1)" false "$status: events first"
	tail -n 1 "$dir/out" >"$dir/last"
	mv "$dir/last" "$dir/out"
	is "$(field .status)" "$status" "$status: the record is the last line"
	shape_is_right "$status, ndjson"
}

killed='supervisor %s SIGKILL null'
ends ok 0 null '' -e 'console.log("x"); ({a: [1, "\u0007", null]})'
ends ok 1 null 'not passed: ' --verdict -e 'console.log("x"); false'
ends error 1 null 'uncaught TypeError: why at ' -e 'console.log("x"); throw new TypeError("why")'
ends error 1 null 'SyntaxError: ' -e 'b c'
ends error 1 null 'uncaught null' -e 'throw null'
ends rejected 3 null 'rejected: ' "$QUOD_TEST_BUILD/quod"
ends timeout 124 "$(printf "$killed" timeout)" 'timeout: ' --timeout 200ms -e 'for (;;);'
ends memory_limit 5 null 'memory_limit: ' --memory 2M -e 'for (var s = "x"; ; ) s += s'
ends output_limit 6 null 'output_limit: the value' -p verify -e 'new Array(2000).join("x")'
ends output_limit 6 "$(printf "$killed" output_limit)" 'output_limit: too many log lines' \
	-e 'for (;;) console.log("x")'
ends output_limit 6 "$(printf "$killed" output_limit)" 'output_limit: too much log text' \
	-e 'for (;;) console.log(new Array(1000).join("x"))'

# A record needs no log: the run may be stopped anywhere after quod has blocked its signals.
"$quod" run -o json -e 'for (;;);' >"$dir/out" 2>"$dir/err" &
pid=$!
until grep -q '^SigBlk:.*[1-9a-f]' /proc/$pid/status; do kill -0 $pid || break; done
kill -TERM $pid
code=0
wait $pid || code=$?
ends_as cancelled 130 'cancelled: status and exit code'
shape_is_right cancelled

QUOD_JS=$liar
hello='ready gate go log:hi'
ends ok 0 null '' -e "$hello value:5 end"
ends violation 4 'filter syscall SIGSYS null' 'violation: ' -e "$hello call:41"
ends violation 4 'filter syscall SIGSYS null' 'violation: ' -e 'ready call:57'
ends crashed 139 'kernel signal SIGSEGV null' 'crashed: the interpreter was killed by SIGSEGV' \
	-e "$hello crash:16"
ends crashed 128 null 'crashed: the interpreter ended with exit status 3' -e "$hello exit:3"
ends crashed 128 "$(printf "$killed" protocol)" 'crashed: the interpreter broke the protocol' \
	-e "$hello raw:ff wait"
ends internal_error 125 null 'internal_error: exec: ' -e 'exit:7'
ends internal_error 125 "$(printf "$killed" internal_error)" 'internal_error: exec: ' \
	-e 'version:99 wait'
QUOD_JS=$dir/none
ends internal_error 125 null "internal_error: exec: cannot open the interpreter '$QUOD_JS'" -e 1

# A value that was true and a run that then went wrong: never passed.
QUOD_JS=$liar
truth='frame:05:03040000007472756574727565'
run_json --verdict -e "ready gate go $truth end"
record_has '.passed and .value == true' 'a forged value is as good as a true one'
for fate in exit:0 exit:3 crash:16 call:41 raw:ff "end raw:ff" "end exit:1" "$truth end" \
	'frame:07:0001 end'; do
	run_json --verdict -e "ready gate go $truth $fate"
	if [ "$(field .passed)" = false ] && [ $code -gt 1 ]; then
		pass "true, then $fate: not passed"
	else
		fail "true, then $fate: not passed" "$out"
	fi
done
tap_done
