# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034 # the variables are for the tests that include this
# What the tests of an installed quodd share: the host's own under systemd, and a user's.
. "$QUOD_TEST_SOURCE/tests/daemon/lib.sh"
trap 'rm -rf "$dir"' EXIT
user=1000
socket=/run/quod/quod.sock
etc=$(sed -n 's/^ExecStart=.*--config \([^ ]*\).*/\1/p' \
	"$QUOD_TEST_BUILD/packaging/systemd/quodd.service")
group=/sys/fs/cgroup/system.slice/quodd.service

as_user() {
	HOME=/home/tester XDG_RUNTIME_DIR=/run/user/$user setpriv --reuid=$user --regid=$user \
		--init-groups --inh-caps=-all -- "$@"
}

# await COMMAND...: until it succeeds.
await() {
	for _ in $(seq 1200); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	return 1
}

value_of() {
	systemctl show -p "$1" --value quodd.service
}

leaves() {
	find /sys/fs/cgroup -path '*/quod/*.run' -type d
}

ran_ok() {
	post '{"source":"6*7"}' /v1/run
	is "$(field '"\(.status) \(.value) \(.enforced_by | "\(.memory) \(.cpu) \(.processes)")"')" \
		'ok 42 cgroup cgroup cgroup' "$1"
}

# What `make install` puts there; systemd has not been told.
install_files() {
	tar -C /srv/quod/installed -cf - . | tar -C / --keep-directory-symlink -xf -
}
