#!/bin/sh
# SPDX-License-Identifier: MIT
# Where the cgroups of runs are made under systemd: services and scopes with and without
# Delegate=, root and a lingering user. Started as root in a service that is not delegated.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
user=1000
enforced='"\(.status) \(.enforced_by | "\(.memory) \(.cpu) \(.processes)")"'
by_cgroup='ok cgroup cgroup cgroup'
by_others='ok rlimit supervisor filter'

as_user() {
	HOME=/tmp XDG_RUNTIME_DIR=/run/user/$user setpriv --reuid=$user --regid=$user \
		--init-groups --inh-caps=-all -- "$@"
}

# gives WANTED NAME COMMAND...: a command whose output is the record of a run.
gives() {
	wanted=$1 name=$2
	shift 2
	code=0
	"$@" >"$dir/out" 2>"$dir/err" || code=$?
	is "$(field "$enforced")" "$wanted" "$name"
}

# As a service of the system: service PROPERTY... -- ARGS...
service() {
	set -- -- "$@"
	while [ "$2" != -- ]; do
		property=$2
		shift 2
		set -- -- "$@" -p "$property"
	done
	shift 2
	args=
	while [ $# -gt 0 ] && [ "$1" != -p ]; do
		args="$args $1"
		shift
	done
	# shellcheck disable=SC2086 # words of ours
	systemd-run --quiet --wait --pipe "$@" -E "QUOD_JS=$QUOD_JS" -E "QUOD_SCOPE=$QUOD_SCOPE" \
		"$quod" run -o json $args -e 1
}

# --- root ---
gives "$by_others" 'root, in a unit that is not delegated' "$quod" run -o json -e 1
gives "$by_cgroup" 'required: the system gives a scope' "$quod" run -o json --require-cgroup -e 1
gives "$by_others" 'a service of its own' service --
gives "$by_cgroup" 'the same, required' service -- --require-cgroup
gives "$by_cgroup" 'a service with Delegate=yes' service Delegate=yes --
gives "$by_cgroup" 'the same, required' service Delegate=yes -- --require-cgroup
# Debian counts the memory of every unit, and so has its controller everywhere.
gives 'ok cgroup supervisor cgroup' 'a service without the cpu controller' service Delegate=pids --

# --- a user ---
gives "$by_others" 'a user, in a cgroup of the system' as_user "$quod" run -o json -e 1
gives "$by_cgroup" 'required: his manager gives a scope' \
	as_user "$quod" run -o json --require-cgroup -e 1
gives "$by_cgroup" 'the same without the variables of a session' \
	as_user env -u XDG_RUNTIME_DIR -u DBUS_SESSION_BUS_ADDRESS \
	"$quod" run -o json --require-cgroup -e 1
gives "$by_cgroup" 'a scope with Delegate=yes' as_user systemd-run --user --scope --quiet \
	-p Delegate=yes "$quod" run -o json -e 1
# shellcheck disable=SC2016 # for the inner shell
gives "$by_others" 'the same beside a shell' as_user systemd-run --user --scope --quiet \
	-p Delegate=yes sh -c '"$0" run -o json -e 1; exit $?' "$quod"
# shellcheck disable=SC2016 # for the inner shell
gives "$by_cgroup" 'beside a shell, required: a scope of its own' \
	as_user systemd-run --user --scope --quiet -p Delegate=yes \
	sh -c '"$0" run -o json --require-cgroup -e 1; exit $?' "$quod"
printf '{"id":"a","input":1}\n{"id":"b","input":2}\n' >"$dir/cases"
chmod 755 "$dir"
as_user "$quod" run --require-cgroup --cases "$dir/cases" -o json -e input >"$dir/out"
is "$(field ".[] | $enforced" | sort | uniq -c | tr -s ' ')" " 2 $by_cgroup" \
	'cases share one scope'
code=0
as_user "$quod" exec --require-cgroup --memory 4M -- "$QUOD_TEST_BUILD/tests/escape/inmate" \
	memory 200 >"$dir/out" 2>"$dir/err" || code=$?
is "$code" 137 'exec: the kernel holds the memory'

# --- nobody to ask ---
as_user env DBUS_SESSION_BUS_ADDRESS=unix:path=/none "$quod" run -o json --require-cgroup -e 1 \
	>"$dir/out" 2>/dev/null
is "$(field .status)" internal_error 'no bus: no run'
has "$(field .error.message)" 'systemd gives no scope: no user bus' 'and why'
as_user env QUOD_SCOPE=/none "$quod" run -o json --require-cgroup -e 1 >"$dir/out" 2>/dev/null
has "$(field .error.message)" "cannot start '/none'" 'no helper: no run, and why'

# --- a number that names another process where systemd is ---
systemd-run --quiet --unit bystander sleep 1000
bystander=$(systemctl show -p MainPID --value bystander)
before=$(cat "/proc/$bystander/cgroup")
# shellcheck disable=SC2016 # for the inner shell
unshare -p -f --mount-proc sh -c 'echo $(($0 - 1)) >/proc/sys/kernel/ns_last_pid
	"$@" &
	[ $! = "$0" ] && wait $!' "$bystander" "$quod" run -o json --require-cgroup -e 1 \
	>"$dir/out" 2>/dev/null
is "$(field .status)" internal_error 'in a pid namespace: no run'
has "$(field .error.message)" 'another pid namespace' 'and why'
is "$(cat "/proc/$bystander/cgroup")" "$before" 'who has that number outside stays where he is'
systemctl stop bystander
has "$("$QUOD_SCOPE" 1 quod-0.scope)" 'not the process that started' \
	'the helper moves nobody but its parent'

# --- nothing stays ---
for _ in $(seq 100); do
	units=$(systemctl list-units --all --plain --no-legend 'quod-0*'
		as_user systemctl --user list-units --all --plain --no-legend 'quod-0*')
	[ -n "$units" ] || break
	sleep 0.1
done
is "$units" '' 'the scopes have gone with their runs'
is "$(find /sys/fs/cgroup -path '*/quod/01*' -type d)" '' 'no leaf is left anywhere'
tap_done
