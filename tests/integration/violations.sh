#!/bin/sh
# SPDX-License-Identifier: MIT
# A forbidden system call is told by its name and ABI, by `quod exec` and in the record of
# `quod run`; also below a filter that answers errnos or has the only listener, as a
# container's may. Whatever is known of it: it is not made, and the run ends.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/integration/refused.sh"
deny=$QUOD_TEST_BUILD/tests/integration/deny
inmate=$QUOD_TEST_BUILD/tests/escape/inmate
liar=$QUOD_TEST_BUILD/tests/integration/liar

if [ "$(uname -m)" != x86_64 ]; then
	skip 'violations' 'the numbers here are those of x86-64'
	tap_done
fi

# jailed NAME WANTED COMMAND...: what became of the inmate, as "CODE STDOUT STDERR", with
# INMATE for its path.
jailed() {
	jailed_name=$1
	jailed_wanted=$2
	shift 2
	code=0
	timeout -k 5 60 "$QUOD_TEST_BUILD/tests/integration/orphans" "$dir/orphans" "$@" \
		</dev/null >"$dir/out" 2>"$dir/err" || code=$?
	echo $code | cat - "$dir/out" "$dir/err" | paste -s -d ' ' >"$dir/all"
	is "$(sed "s|'$inmate'|INMATE|" "$dir/all")" "$jailed_wanted" "$jailed_name"
	is "$(cat "$dir/orphans")" 'orphans 0 left 0' "$jailed_name: nothing left"
}

test_named() {
	for call in 41:socket 46:sendmsg 47:recvmsg 101:ptrace 165:mount 272:unshare 317:seccomp \
		321:bpf 425:io_uring_setup 434:pidfd_open; do
		jailed "${call#*:} is named" \
			"159 trying=${call%:*} quod: violation: INMATE tried ${call#*:}" \
			"$quod" exec -- "$inmate" syscall "${call%:*}"
	done
	jailed 'i386 getpid: number and ABI' '159 trying=20 quod: violation: INMATE tried i386:20' \
		"$quod" exec -- "$inmate" int80 20
	jailed 'x32 write: number and ABI' '159 trying=0x40000001 quod: violation: INMATE tried x32:1' \
		"$quod" exec -- "$inmate" syscall 0x40000001
	jailed 'a program deaf to SIGSYS' '159 trying=41 quod: violation: INMATE tried socket' \
		"$quod" exec -- "$inmate" deaf 41
	jailed 'the descriptor of the handover' '0 trying=3 sendmsg=EBADF' \
		"$quod" exec -- "$inmate" sendmsg 3
	jailed 'another one' '159 trying=4 quod: violation: INMATE tried sendmsg' \
		"$quod" exec -- "$inmate" sendmsg 4
	jailed 'the limit on files is final' '0 more_files=EPERM nofile=0' \
		"$quod" exec -- "$inmate" more_files
}

# What an outer filter answers comes first; what it lets through is told as ever.
test_below_errno() {
	jailed 'below an errno: refused, and the program goes on' '0 trying=41 syscall=EPERM' \
		"$deny" socket EPERM "$quod" exec -- "$inmate" syscall 41
	jailed 'below an errno: other calls are named' \
		'159 trying=101 quod: violation: INMATE tried ptrace' \
		"$deny" socket EPERM "$quod" exec -- "$inmate" syscall 101
	QUOD_JS=$liar
	hello='ready gate go log:hi'
	run_json -e "$hello frame:08:3e0000c029000000 call:41"
	is "$(field '.status + " " + .kill.syscall')" 'violation socket' 'run: named'
	run_json -e "$hello frame:08:0300004014000000 call:41"
	is "$(field '.status + " " + .kill.syscall')" 'violation i386:20' 'run: with its ABI'
	run_json -e "$hello frame:08:3e0000c001000040 call:41"
	is "$(field '.status + " " + .kill.syscall')" 'violation x32:1' 'run: x32 as well'
	code=0
	"$deny" socket EPERM "$quod" run -o json -e "$hello frame:08:3e0000c029000000 call:41" \
		</dev/null >"$dir/out" 2>"$dir/err" || code=$?
	is "$(field '.status + " " + .kill.syscall + " " + .kill.signal')" \
		'violation socket SIGSYS' 'run below an errno: the trap comes first'
	is $code 4 'run below an errno: exit code'
	QUOD_JS=$quod_js
}

# One listener to a chain of filters: where it is taken, or cannot be had, the call kills.
test_without_listener() {
	for how in 'getuid LISTENER' 'new_listener EINVAL'; do
		# shellcheck disable=SC2086 # two words
		set -- "$deny" $how "$quod" exec -- "$inmate"
		jailed "$how: an honest program" '3' "$@" exit 3
		jailed "$how: killed without a name" \
			'159 trying=41 quod: violation: INMATE was killed by SIGSYS' "$@" syscall 41
		jailed "$how: also another ABI" \
			'159 trying=20 quod: violation: INMATE was killed by SIGSYS' "$@" int80 20
		jailed "$how: also the deaf" \
			'159 trying=41 quod: violation: INMATE was killed by SIGSYS' "$@" deaf 41
		jailed "$how: also on the descriptor of the handover" \
			'159 trying=3 quod: violation: INMATE was killed by SIGSYS' "$@" sendmsg 3
	done
	refused 125 'quod: internal_error: filter: load the seccomp filter' \
		'forbidden to load it: no run without' \
		"$deny" new_listener EPERM "$quod" exec -- "$inmate" exit 0
	refused 125 'quod: internal_error: filter: hand over' 'no handover: no run' \
		"$deny" sendmsg EPERM "$quod" exec -- "$inmate" exit 0
	refused 125 'quod: internal_error: pipes: make a socket pair' 'no socket pair: no run' \
		"$deny" socketpair EPERM "$quod" exec -- "$inmate" exit 0
}

test_named
test_below_errno
test_without_listener
tap_done
