#!/bin/sh
# SPDX-License-Identifier: MIT
# quod doctor --for rootless under systemd: what a lingering user is given, what he is not, and
# the commands that mend it, which are run.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/integration/finds.sh"
user=1000

as_user() {
	HOME=/tmp XDG_RUNTIME_DIR=/run/user/$user setpriv --reuid=$user --regid=$user \
		--init-groups --inh-caps=-all -- "$@"
}

# remedy NAME: of the row, as it is said.
remedy() {
	jq -r --arg name "$1" '.probes[] | select(.name == $name) | .remedy' "$dir/out"
}

set -- "$quod" doctor --for rootless -o json

# --- a user in a cgroup of the system's ---
finds 'cgroup v2' less '' 'systemd-run --user --scope -p Delegate=yes' 'a cgroup of the system: not his' as_user "$@"
as_user systemd-run --user --scope --quiet -p Delegate=yes "$@" >"$dir/out"
is "$(field '[.probes[] | select(.state != "works" and .name != "clock") | .name] | join(",")')" '' \
	'in the scope that it names all is fine'
is "$(field '[.probes[] | select(.name | IN("user manager", "linger", "delegation", "ids")) | .state] | join(",")')" \
	works,works,works,works 'his ids, his manager, lingering, what is delegated'

# --- lingering ---
rm /var/lib/systemd/linger/tester
finds linger less '' 'loginctl enable-linger tester' 'a user who does not linger' as_user "$@"
sh -c "$(remedy linger)"
finds linger works 'goes on' '' 'what is said mends it' as_user "$@"

# --- root, in a unit that is not delegated ---
finds 'cgroup v2' less 'has not delegated' 'Delegate=yes' 'root in a unit that is not delegated' "$quod" doctor -o json
systemd-run --quiet --wait --pipe -p Delegate=yes -E "QUOD_JS=$QUOD_JS" "$quod" doctor -o json >"$dir/out"
is "$(field '[.probes[] | select(.room == "jail" and .state != "works") | .name] | join(",")')" '' \
	'in one that is, all of a jail is fine'
tap_done
