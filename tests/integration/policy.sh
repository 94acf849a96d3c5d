#!/bin/sh
# SPDX-License-Identifier: MIT
# Policies from files: where they are looked for, in which order they apply, whose word
# they are, what is said when one is malformed, and that a job can only tighten one.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
umask 022
etc=$dir/etc
usr=$dir/usr
mkdir "$etc" "$usr"
QUOD_POLICY_PATH=$etc:$usr:$dir/nowhere
export QUOD_POLICY_PATH

# policy ARGS...: `quod policy ARGS`, then $code, $out, $err.
policy() {
	code=0
	timeout -k 5 60 "$quod" policy "$@" >"$dir/out" 2>"$dir/err" || code=$?
	out=$(cat "$dir/out")
	err=$(cat "$dir/err")
}

# values NAME: what the policy says, without where that came from.
values() {
	"$quod" policy show "$1" | grep -v '^#'
}

# memory_of NAME
memory_of() {
	values "$1" | sed -n 's/^MemoryMax=//p'
}

# --- without files ---

policy list
is "$code $err" '0 ' 'list: exit code'
is "$(echo "$out" | sed 's/ .*//' | tr '\n' ' ')" 'default verify open ' 'list: what is built in'
for name in default verify open; do
	policy show $name
	is "$code $err" '0 ' "show $name"
	printf '%s\n' "$out" >"$dir/$name.policy"
	is "$(values "$dir/$name.policy")" "$(values $name)" \
		"what show $name says is a file that says the same"
	policy test "$dir/$name.policy"
	is "$code $out$err" '0 ' 'and nothing is wrong with it'
done

# --- a file and its drop-ins ---

cat >"$usr/ci.policy" <<'EOF'
[Run]
Base=verify
Mode=strict

[Limits]
MemoryMax=16M
RuntimeMaxSec=2
EOF
run_json -p ci -e true
record_has '.policy == "ci" and .passed and .limits.wall_ms == 2000 and
	.limits.cpu_ms == 2000 and .limits.memory_bytes == 16777216 and
	.limits.source_bytes == 10240' 'a run under a policy from a file'
record_has '.gate.mode == "strict"' 'with its mode'
has "$("$quod" policy list)" "ci               $usr/ci.policy" 'list names it and its file'
has "$("$quod" policy show ci)" "# $usr/ci.policy:6
MemoryMax=16M" 'show says which line it was'

mkdir "$usr/ci.policy.d" "$etc/ci.policy.d" "$etc/default.policy.d"
printf '[Limits]\nMemoryMax=8M\n' >"$usr/ci.policy.d/20-b.conf"
is "$(memory_of ci)" 8M 'a drop-in applies on top'
printf '[Limits]\nMemoryMax=7M\n' >"$etc/ci.policy.d/10-a.conf"
is "$(memory_of ci)" 8M 'in the order of the names, not of the directories'
printf '[Limits]\nMemoryMax=5M\n' >"$etc/ci.policy.d/50-e.conf"
printf '[Limits]\nMemoryMax=4M\n' >"$usr/ci.policy.d/40-d.conf"
is "$(memory_of ci)" 5M 'whichever of them comes first on the path'
rm "$etc/ci.policy.d/50-e.conf" "$usr/ci.policy.d/40-d.conf"
printf '[Limits]\nMemoryMax=6M\n' >"$etc/ci.policy.d/20-b.conf"
is "$(memory_of ci)" 6M 'one hides those of its name in later directories'
: >"$etc/ci.policy.d/20-b.conf"
is "$(memory_of ci)" 7M 'an empty one, too'
printf '[Limits]\nMemoryMax=1M\n' >"$etc/ci.policy.d/30-c"
printf '[Limits]\nMemoryMax=1M\n' >"$etc/ci.policy.d/.30-c.conf"
is "$(memory_of ci)" 7M 'what is not called .conf, or is hidden, is none'
printf '[Limits]\nMemoryMax=9M\n' >"$etc/ci.policy"
is "$(values ci | grep -e MemoryMax -e Mode)" 'Mode=standard
MemoryMax=7M' 'the first file counts, the other not at all'
is "$(memory_of "$etc/ci.policy")" 9M 'a path is that file alone'

printf '[Limits]\nMemoryMax=24M\n' >"$etc/default.policy.d/x.conf"
run_json -e 1
record_has '.policy == "default" and .limits.memory_bytes == 25165824' \
	'a drop-in changes the built-in policy that a run has without -p'
rm "$etc/default.policy.d/x.conf"
mkdir "$etc/alone.policy.d"
printf '[Limits]\nMemoryMax=24M\n' >"$etc/alone.policy.d/x.conf"
run -p alone -e 1
is "$code" 2 'drop-ins alone make no policy'
for n in $(seq 101); do
	: >"$etc/alone.policy.d/$n.conf"
done
run -p alone -e 1
is "$code $err" "2 quod: $etc: there are more than 100 drop-ins for one policy" \
	'as many as there may be'
rm "$etc/alone.policy.d/x.conf" "$etc/alone.policy.d/1.conf"
cp "$usr/ci.policy" "$etc/alone.policy"
run -p alone -e true
is "$code" 0 'and so many there may be'
printf '[Run]\nTimers=yes\n' >"$usr/verify.policy"
is "$(values verify | grep -e Timers -e SourceMax)" 'Timers=yes
SourceMax=10K' 'a file for a built-in name begins from that'

# --- rules and globals reach the run ---

cat >"$dir/rules.policy" <<'EOF'
[Rule "no-clock"]
Match=global Date
Severity=deny
Message=not now
EOF
policy test "$dir/rules.policy"
is "$code $out$err" '0 ' 'a rule of its own'
run -p "$dir/rules.policy" -e 'new Date()'
is "$code" 3 'rejects a source'
has "$err" 'not now' 'with its message'
has "$err" '[no-clock]' 'under its name'
run_json -p "$dir/rules.policy" -e 'new Date()'
record_has '.gate.findings[0] | has("why") and .why == null' 'which says why by itself'
run -p "$dir/rules.policy" -e 'eval("1")'
has "$code $err" '3 quod: rejected' 'and the built-in ones are still there'
printf '[Rule "timer"]\nSeverity=deny\n' >"$dir/changed.policy"
run -p "$dir/changed.policy" -e 'setTimeout(function () {}, 1)'
has "$code $err" '3 quod: rejected' 'a built-in rule made graver'
run -p "$dir/rules.policy" --mode off -e 1
is "$code" 2 'which has the mode of the policy it begins from'
printf '[Run]\nGlobals=\nGlobals=Math JSON\n' >"$dir/names.policy"
run -p "$dir/names.policy" -e '[typeof Math, typeof JSON, typeof Map].join()'
is "$out" 'object,object,undefined' 'Globals=: what is not named is gone'
printf '[Run]\nDeterministic=yes\n' >"$dir/same.policy"
run -p "$dir/same.policy" -e '[Math.random(), new Date().toISOString()].join()'
first=$out
run -p "$dir/same.policy" -e '[Math.random(), new Date().toISOString()].join()'
is "$out" "$first" 'Deterministic=: twice the same'
has "$out" '2000-01-01T00:00:00.000Z' 'at the time that is promised'
run -p "$dir/same.policy" --seed 7 -e '[Math.random(), new Date().toISOString()].join()'
is "$([ "$out" = "$first" ] || echo other)" other 'a seed of its own is another'

# --- as long as files may be ---

{
	printf '[Rule "many"]\nSeverity=info\n'
	yes 'Match=global a' | head -n 3450
	for n in $(seq 50); do
		printf '[Rule "r%02d"]\nSeverity=info\nMatch=global a\n' "$n"
	done
} >"$dir/52k.policy"
policy show "$dir/52k.policy"
is "$code $err" '0 ' 'a long policy is shown'
cp "$dir/out" "$dir/again.policy"
holds 'in more than it has itself' [ "$(wc -c <"$dir/again.policy")" -gt "$(wc -c <"$dir/52k.policy")" ]
values "$dir/52k.policy" >"$dir/first"
values "$dir/again.policy" >"$dir/second"
holds 'and what is shown loads again' cmp "$dir/first" "$dir/second"

# --- names that there are ---

run -p open -e 'Object.getOwnPropertyNames(globalThis).join(" ")'
printf '[Run]\nGlobals=\nGlobals=%s\n' "$out" >"$dir/all.policy"
policy test "$dir/all.policy"
is "$code $err" '0 ' 'all that the engine has is known'
printf '[Run]\nGlobals=Dtae\n' >"$dir/slip.policy"
policy test "$dir/slip.policy"
is "$code $err" "0 $dir/slip.policy:2:9: warning: Globals=: no engine has 'Dtae': did you mean Date?" \
	'what none has is warned of'
policy show "$dir/slip.policy"
is "$code $err" '0 ' 'by test alone'

# --- what is wrong ---

cat >"$dir/bad.policy" <<'EOF'
[Run]
Mode=stict
Timer=yes
[Limit]
[Rule "mine"]
Match=globl x
EOF
policy test "$dir/bad.policy"
is "$code" 2 'test: exit code'
is "$err" "$dir/bad.policy:2:6: Mode=: 'stict': did you mean strict?
$dir/bad.policy:3:1: [Run] has no key 'Timer': did you mean Timers=?
$dir/bad.policy:4:1: no section is called [Limit]: did you mean [Limits]?
$dir/bad.policy:6:7: Match=: 'globl': did you mean global?
$dir/bad.policy:5:1: rule 'mine' is not built in and has no Severity=" 'test: all of it'
run -p "$dir/bad.policy" -e 1
is "$code $err" "2 quod: $dir/bad.policy:2:6: Mode=: 'stict': did you mean strict?" \
	'run: the first of it, and nothing runs'
code=0
err=$("$quod" exec -p "$dir/bad.policy" -- /bin/true 2>&1) || code=$?
has "$code $err" "125 quod: $dir/bad.policy:2:6:" 'exec: the same'
printf '[Rule "mine"]\nSeverity=warn\nMatch=signal nosuchthing\n' >"$dir/never.policy"
policy test "$dir/never.policy"
is "$code" 2 'test: a rule that can never match'
has "$err" "never.policy:3:14: Match=: the gate has no signal 'nosuchthing'" 'and why'
run -p "$dir/never.policy" -e 1
is "$code" 2 'run: nothing runs without a rule that was asked for'
printf '[Rule "mine"]\nSeverity=warn\nMatch=global eval\n' >"$dir/twice.policy"
policy test "$dir/twice.policy"
is "$code" 0 'test: what is said twice can be loaded'
has "$err" "twice.policy:3:14: warning: rule 'mine': the built-in rule 'eval' looks for" 'and is warned of'
(cd "$dir" && "$quod" policy test twice.policy) 2>"$dir/err"
has "$(cat "$dir/err")" 'warning' 'test: a file of this directory, without a slash'
head -c 600000 /dev/zero | tr '\0' '#' >"$dir/long.policy"
run -p "$dir/long.policy" -e 1
is "$code $err" "2 quod: $dir/long.policy: it is longer than 512 KiB" 'too long'
run -p "$dir/none.policy" -e 1
is "$code $err" "2 quod: $dir/none.policy: cannot be read: No such file or directory" 'not there'
mkdir "$dir/dir.policy"
run -p "$dir/dir.policy" -e 1
is "$code" 2 'a directory'
mkfifo "$dir/fifo.policy"
run -p "$dir/fifo.policy" -e 1
holds 'a FIFO does not hold it up' [ "$code" -ne 124 ]
printf '[Run]\nMode=x\n' >"$etc/ci.policy.d/40-bad.conf"
policy list
is "$code" 2 'list: a policy that cannot be loaded'
has "$out" 'ci               cannot be loaded' 'is named'
has "$err" "$etc/ci.policy.d/40-bad.conf:2:6: Mode=" 'and why'
has "$out" "verify           $usr/verify.policy" 'and the others are listed all the same'
rm "$etc/ci.policy.d/40-bad.conf"

for name in '.' '..' 'a b' '-x' 'a%b' "$(printf 'a\nb')"; do
	run -p "$name" -e 1
	has "$code $err" "cannot be a policy's name" "not a name: $(echo "$name" | tr "\n" "~")"
done
run -p verfy -e 1
has "$code $err" "2 quod: no policy is called 'verfy': did you mean verify?" 'the nearest built-in'
run -p cii -e 1
has "$err" 'did you mean ci?' 'the nearest file'
for words in '' frobnicate lst 'show' 'list x' 'show a b'; do
	# shellcheck disable=SC2086 # words
	policy $words
	is "$code" 2 "quod policy $words"
done

# --- the manual ---

# example N: the N-th example of quod.policy(5).
example() {
	awk -v n="$1" '/^\.Bd/ { count++; next } /^\.Ed/ { count += 0.5 } count == n' \
		"$QUOD_TEST_SOURCE/man/quod.policy.5"
}
example 1 >"$etc/clock.policy"
policy test "$etc/clock.policy"
is "$code $out$err" '0 ' 'the manual: its policy'
run_json -p clock -e 'true'
record_has '.passed and .policy == "clock" and .limits.memory_bytes == 16777216' 'runs'
example 2.5 >"$etc/default.policy.d/10-memory.conf"
is "$(memory_of default)" 8M 'the manual: its drop-in'
rm "$etc/default.policy.d/10-memory.conf"

# --- what is there and cannot be read is no policy that is not there ---

path=$QUOD_POLICY_PATH
lies() {
	run -e true
	is "$code" 2 "$1"
	has "$err" "$2" 'and why'
}
mkdir "$dir/lies"
QUOD_POLICY_PATH=$dir/lies
ln -s nowhere "$dir/lies/default.policy"
lies 'a policy that is a link to nothing' "$dir/lies/default.policy: cannot be read: No such file"
rm "$dir/lies/default.policy"
ln -s nowhere "$dir/lies/default.policy.d"
lies 'drop-ins behind a link to nothing' "$dir/lies: cannot be read: No such file"
rm "$dir/lies/default.policy.d"
: >"$dir/lies/default.policy.d"
lies 'drop-ins in a file' "$dir/lies: cannot be read: Not a directory"
rm "$dir/lies/default.policy.d"
mkdir "$dir/lies/default.policy.d"
ln -s nowhere "$dir/lies/default.policy.d/1.conf"
lies 'a drop-in that is a link to nothing' '1.conf: cannot be read: No such file'
QUOD_POLICY_PATH=$dir/lies/default.policy.d/1.conf
lies 'a directory that is a link to nothing' '1.conf: cannot be read: No such file'
QUOD_POLICY_PATH=$dir/cases.policy
: >"$QUOD_POLICY_PATH"
lies 'a directory that is a file' 'cases.policy: cannot be read: Not a directory'
QUOD_POLICY_PATH=$path
mkfifo "$dir/mute.policy"
run -p "$dir/mute.policy" -e true
is "$code" 2 'a FIFO, which nobody writes'

# --- whose word it is ---

# Root of a namespace with one uid is an ordinary user, if that uid is not root's.
uids=$(awk '{ n += $3 } END { printf "%.0f", n }' /proc/self/uid_map)
if [ "$(id -u)" -eq 0 ] && { [ "$uids" -gt 1 ] || [ "$(awk '{ print $2 }' /proc/self/uid_map)" -eq 0 ]; }; then
	cp "$usr/ci.policy" "$dir/owned.policy"
	run -p "$dir/owned.policy" -e true
	is "$code" 0 'root: a file of its own'
	chmod g+w "$dir/owned.policy"
	run -p "$dir/owned.policy" -e true
	has "$code $err" '2 quod: ' 'root: not one that a group can write'
	has "$err" 'others than root can write it' 'and says so'
	chmod 644 "$dir/owned.policy"
	mkdir "$dir/others"
	ln -s "$dir/owned.policy" "$dir/others/default.policy"
	chmod 777 "$dir/others"
	QUOD_POLICY_PATH=$dir/others
	run -e true
	has "$code $err" "2 quod: $dir/others: others than root can write it" \
		'root: nor one that others have chosen'
	QUOD_POLICY_PATH=$path
	if [ "$uids" -gt 1 ]; then
		chown nobody "$dir/owned.policy"
		run -p "$dir/owned.policy" -e true
		has "$code $err" "2 quod: $dir/owned.policy: root does not own it" 'root: nor of another'
		ln -s "$dir/owned.policy" "$dir/link.policy"
		run -p "$dir/link.policy" -e true
		is "$code" 2 'root: not through a link of its own either'
	fi
else
	cp "$usr/ci.policy" "$dir/owned.policy"
	chmod 666 "$dir/owned.policy"
	run -p "$dir/owned.policy" -e true
	is "$code" 0 'who is not root decides himself'
fi
chmod 000 "$usr/ci.policy.d/20-b.conf" "$etc/ci.policy.d/10-a.conf"
if [ "$(id -u)" -ne 0 ]; then
	run -p ci -e true
	has "$code $err" "2 quod: $etc/ci.policy.d/10-a.conf: cannot be read: Permission denied" \
		'what cannot be read is not passed over'
fi

# --- a job only tightens ---

printf '[Run]\nEngine=duktape\nMode=standard\n' >"$dir/tight.policy"
run -p "$dir/tight.policy" --mode off -e 1
has "$code $err" "2 quod: --mode off: it may only be stricter than the 'standard' of policy 'tight'" \
	'--mode: not looser'
run -p "$dir/tight.policy" --mode strict -e 1
is "$code" 0 '--mode: stricter'
run -p open --mode standard -e 1
is "$code" 0 '--mode: from off to standard'
run -p "$dir/tight.policy" --engine quickjs -e 1
has "$code $err" "2 quod: --engine quickjs: policy 'tight' allows only duktape" '--engine: not another'
run -p "$dir/tight.policy" --engine auto -e 1
is "$code" 2 '--engine: auto is another'
run -p "$dir/tight.policy" --engine duktape -e 1
is "$code" 0 '--engine: the same'
run -p "$dir/tight.policy" --timeout 6s -e 1
has "$code $err" "policy 'tight' allows at most 5 s" '--timeout: not longer'

tap_done
