#!/bin/sh
# SPDX-License-Identifier: MIT
# Cgroups as this host has them: limits that one enforces, or the truth about who does, and
# a refusal with the one cause where a cgroup is required.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"

mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
own=$mount$(sed -n 's/^0:://p' /proc/self/cgroup)

# refused PATTERN NAME: an internal_error of stage cgroup whose message has the pattern.
refused() {
	ends_as internal_error 125 "$2"
	has "$(field .error.message)" 'cgroup: ' "$2: the stage is told"
	has "$(field .error.message)" "$1" "$2: $1"
}

# --- a directory that is named ---
run_json --cgroup "$dir" -e 1
refused 'no directory of a cgroup v2 mount' 'a directory that is no cgroup'
run_json --cgroup "$dir/none" -e 1
refused 'No such file or directory' 'a cgroup that is not there'
code=0
"$quod" exec --cgroup "$dir" -- "$quod_js" >"$dir/out" 2>"$dir/err" || code=$?
is "$code" 125 'exec: a directory that is no cgroup'
has "$(cat "$dir/err")" 'no directory of a cgroup v2 mount' 'exec: it is said'
printf '{"id":"a","input":1}\n{"id":"b","input":2}\n' >"$dir/cases"
run_json --cgroup "$dir" --cases "$dir/cases" -e input
is "$code" 125 'cases: a directory that is no cgroup'
is "$(field '[.[].status] | unique | join(" ")')" internal_error 'cases: none ran'

# --- required ---
run_json --require-cgroup -e 1
if [ "$(field .status)" = ok ]; then
	record_has '.enforced_by | .memory == "cgroup" and .cpu == "cgroup" and
		.processes == "cgroup"' 'required: and so it is'
elif ! grep -q memory "$mount/cgroup.controllers"; then
	case $(field .error.message) in
	*'not delegated to the caller'*)
		is "$([ -w "$own/cgroup.procs" ] && echo yes)" '' 'required: not delegated'
		;;
	*) refused 'no memory controller on this host: No such device (cgroup v1 holds it' \
		'required: the host has no controller' ;;
	esac
else
	refused 'delegate' 'required: not delegated'
fi

# --- not required: what cannot be had is told ---
run_json -e 1
is "$code" 0 'a run does without'
case $(field .enforced_by.memory) in
cgroup) run_json --require-cgroup -e 1
	is "$code" 0 'what says cgroup is one' ;;
rlimit) record_has '.enforced_by | .cpu == "supervisor" and .processes == "filter"' \
	'what no cgroup holds is held by others, and told' ;;
*) fail 'memory is held by something' "$(field .enforced_by)" ;;
esac

# --- a container whose cgroups are read-only ---
# In a mount namespace of our own; without root in a user namespace too, where the files of
# others are out of reach before that matters.
if [ "$(id -u)" = 0 ]; then
	read_only() {
		unshare -m sh -c 'mount -o remount,bind,ro "$0" && exec "$@"' "$mount" "$@"
	}
	code=0
	read_only "$quod" run --require-cgroup -o json -e 1 >"$dir/out" 2>"$dir/err" || code=$?
	err=$(cat "$dir/err")
	refused 'cgroups are mounted read-only' 'read-only cgroups'
	holds 'read-only cgroups: a run does without' read_only "$quod" run -e 1
	read_only "$quod" run -o json -e 1 >"$dir/out" 2>/dev/null
	record_has '.enforced_by.memory == "rlimit"' 'read-only cgroups: memory by rlimit, and told'
fi

# --- the mount of another cgroup namespace ---
# As in a container that has its host's: what lies there under our path is not ours.
if [ "$(id -u)" = 0 ]; then
	holds 'a mount that is not ours: a run does without' unshare -C "$quod" run -e 1
	below=$own/below.$$
	if mkdir "$below" 2>/dev/null; then
		code=0
		# shellcheck disable=SC2016 # for the inner shell
		sh -c 'echo $$ >"$0/cgroup.procs" && exec unshare -C "$@"' "$below" \
			"$quod" run -o json --require-cgroup -e 1 >"$dir/out" 2>"$dir/err" || code=$?
		err=$(cat "$dir/err")
		refused 'is not the one we are in' 'a mount that is not ours, required'
		rmdir "$below"
	fi
fi

# --- threads ---
if [ "$(id -u)" = 0 ] && mkdir -p "$own/below.$$/threads" 2>/dev/null; then
	threads=$own/below.$$/threads
	echo threaded >"$threads/cgroup.type"
	for in in "$own/below.$$" "$threads"; do
		code=0
		# shellcheck disable=SC2016 # for the inner shell
		sh -c 'echo $$ >"$0/cgroup.procs" && echo $$ >"$1/cgroup.threads" && shift && exec "$@"' \
			"$own/below.$$" "$in" "$quod" run -o json -e 1 >"$dir/out" 2>"$dir/err" || code=$?
		is "$code" 0 'in a threaded cgroup a run does without'
		code=0
		# shellcheck disable=SC2016 # for the inner shell
		sh -c 'echo $$ >"$0/cgroup.procs" && echo $$ >"$1/cgroup.threads" && shift && exec "$@"' \
			"$own/below.$$" "$in" "$quod" run --require-cgroup -o json -e 1 \
			>"$dir/out" 2>"$dir/err" || code=$?
		err=$(cat "$dir/err")
		refused "cgroup.type is 'domain'" 'a threaded cgroup, required'
	done
	rmdir "$threads" "$own/below.$$"
fi

# --- the group belongs to whoever works in it ---
holds 'doctor names the controllers' sh -c '"$0" doctor | grep -q "^memory controller"' "$quod"
run_json -e 1
if [ "$(field .enforced_by.memory)" != cgroup ]; then
	holds 'doctor says what mends what is missing' \
		sh -c '"$0" doctor | grep -A 2 "^memory controller .*less" | grep -q -e "->"' "$quod"
fi

tap_done
