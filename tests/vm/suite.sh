#!/bin/sh
# SPDX-License-Identifier: MIT
# suite.sh GUEST: runs in the guest. Runs what the plan has for it, one test after the other,
# writes to the second serial line, where no message of the kernel comes between:
#	#vm begin WHO TEST
#	the test's TAP
#	#vm end STATUS SECONDS
# and at last `#vm done`, then switches the machine off.
set -u
guest=$1
base=/srv/quod
QUOD_TEST_BUILD=$base/build
QUOD_TEST_SOURCE=$base/source
QUOD_VM_GUEST=$guest
CI=true
LC_ALL=C
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export QUOD_TEST_BUILD QUOD_TEST_SOURCE QUOD_VM_GUEST CI LC_ALL PATH
# One test may take so long, in seconds: against a hang.
most=900

stty -F /dev/ttyS1 raw -echo
exec 9>/dev/ttyS1

off() {
	sync
	echo o >/proc/sysrq-trigger
	sleep 60
}

# The user's manager, which systemd starts at boot.
await_user() {
	for _ in $(seq 600); do
		[ ! -S /run/user/1000/bus ] || return 0
		sleep 0.1
	done
	echo '#vm no manager of the lingering user' >&9
}

# as WHO COMMAND...: root; user: the lingering user, in a cgroup of the system's; scope: the
# same, in a cgroup that was delegated to that user, at a place where a shell beside quod is
# not in its way.
as() {
	who=$1
	shift
	case $who in
	root)
		HOME=/root "$@"
		;;
	user)
		HOME=/home/tester XDG_RUNTIME_DIR=/run/user/1000 setpriv --reuid=tester \
			--regid=tester --init-groups --inh-caps=-all -- "$@"
		;;
	scope)
		# shellcheck disable=SC2016 # for the inner shell
		as user systemd-run --user --scope --quiet -p Delegate=yes -- sh -c '
			place=/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/supervisor
			mkdir "$place" && echo $$ >"$place/cgroup.procs" && exec "$@"' sh "$@"
		;;
	esac
}

# start WHO TEST ARGS...: a script of the source tree or a program of the build tree.
start() {
	start_as=$1 start_what=$2
	shift 2
	case $start_what in
	*.sh) as "$start_as" timeout -k 5 $most sh "$QUOD_TEST_SOURCE/$start_what" "$@" ;;
	*) as "$start_as" timeout -k 5 $most "$QUOD_TEST_BUILD/$start_what" "$@" ;;
	esac
}

cd / || off
# Debian's own idea; it would hide whether a jail refuses it too.
echo 2 >/proc/sys/kernel/perf_event_paranoid
[ "$guest" != systemd ] || await_user
while read -r where who test args; do
	[ "$where" = "$guest" ] || continue
	echo "#vm begin $who $test" >&9
	since=$(cut -d . -f 1 /proc/uptime)
	status=0
	# shellcheck disable=SC2086 # words
	start "$who" "$test" $args </dev/null >&9 2>/tmp/stderr || status=$?
	now=$(cut -d . -f 1 /proc/uptime)
	head -c 2000 /tmp/stderr | sed 's/^/# stderr: /' >&9
	echo "#vm end $status $((now - since))" >&9
done <"$base/plan"
echo '#vm done' >&9
off
