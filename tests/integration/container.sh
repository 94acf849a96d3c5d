#!/bin/sh
# SPDX-License-Identifier: MIT
# What containers do to quod, one thing at a time and without a container: who refuses is
# told from who else might have, and the error names what mends it. tests/vm/containers.sh
# has the whole of it.
. "$QUOD_TEST_SOURCE/tests/integration/lib.sh"
. "$QUOD_TEST_SOURCE/tests/integration/refused.sh"
deny=$QUOD_TEST_BUILD/tests/integration/deny
filter='a seccomp filter around quod forbids it. A container'

# --- EPERM: a filter, and not what else says it ---
for call in clone3:clone fsopen:rootfs move_mount:rootfs pivot_root:rootfs umount2:rootfs; do
	refused 125 "quod: internal_error: ${call#*:}: " "${call%:*} is EPERM: no run, at ${call#*:}" \
		"$deny" "${call%:*}" EPERM "$quod" run -e 1
	has "$(cat "$dir/err")" "$filter" "${call%:*} is EPERM: a filter's"
done
# One that does not concern what failed: the reason is another one then.
refused 125 'uid 0 may be mapped only by who has CAP_SETFCAP' \
	'uid 0 without capabilities: no run, and why' \
	unshare -r setpriv --bounding-set=-all --inh-caps=-all \
	"$deny" getuid EPERM "$quod" run -e 1

# --- ENOSYS: a filter, or a kernel that says it is old ---
refused 125 "$filter" 'clone3 is ENOSYS on a new kernel' "$deny" clone3 ENOSYS "$quod" run -e 1
for call in 'clone3 clone3' 'fsopen the mount API' 'close_range close_range' \
	'pidfd_open pidfd_open'; do
	refused 125 "${call#* } needs Linux 5.14" "${call%% *} is ENOSYS on an old kernel" \
		setarch --uname-2.6 "$deny" "${call%% *}" ENOSYS "$quod" run -e 1
done

# --- doctor lists what a filter refuses ---
code=0
"$deny" umount2 EPERM "$quod" doctor --for container -o json >"$dir/out" 2>"$dir/err" || code=$?
record_has '.can_run == false and (.probes[] | select(.name == "filter around") |
	.state == "fails" and (.found | contains("refuses umount2")) and
	(.remedy | contains("seccomp.jq")))' 'doctor names the call'
"$deny" getuid EPERM "$quod" doctor --for container -o json >"$dir/out" 2>"$dir/err" || code=$?
record_has '.can_run and (.probes[] | select(.name == "filter around") | .state == "works")' \
	'a filter that lets jails be made is fine'
"$deny" unshare EPERM "$quod" doctor --for container -o json >"$dir/out" 2>"$dir/err" || code=$?
record_has '.can_run' 'what quodd alone needs is not missed by a run'

# --- a chroot ---
mkdir "$dir/root" "$dir/root/proc" "$dir/root/dev"
cp "$quod" "$quod_js" "$dir/root"
# shellcheck disable=SC2016 # for the inner shell
refused 125 'quod runs in a chroot, where the kernel makes no user namespaces' 'chroot: no run, and why' \
	unshare -rm sh -c 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" &&
		QUOD_JS=/quod-js exec chroot "$0" /quod run -e 1' "$dir/root"

# --- /proc with masks on it, where the kernel lets nobody mount another one ---
# shellcheck disable=SC2016 # for the inner shell
masked='mount -t tmpfs -o ro none /proc/sys && mount --bind /dev/null /proc/timer_list && exec "$@"'
# shellcheck disable=SC2016 # for the inner shell
holds '/proc is masked' unshare -rm sh -c "$masked" sh \
	sh -c '! unshare -rpfm mount -t proc none /proc'
code=0
unshare -rm sh -c "$masked" sh "$quod" run -o json -e '6 * 7' >"$dir/out" 2>"$dir/err" || code=$?
record_has '.status == "ok" and .value == 42' 'masked /proc: runs'

# --- the profile that is made of an engine's ---
cat >"$dir/default.json" <<'END'
{"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 1,
 "archMap": [{"architecture": "SCMP_ARCH_X86_64", "subArchitectures": ["SCMP_ARCH_X86"]},
	{"architecture": "SCMP_ARCH_S390X", "subArchitectures": null}],
 "syscalls": [
	{"names": ["read", "umount2"], "action": "SCMP_ACT_ALLOW", "includes": {}, "excludes": {}},
	{"names": ["chroot"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_CHROOT"]}},
	{"names": ["bpf", "clone3"], "action": "SCMP_ACT_ALLOW", "includes": {"caps": ["CAP_SYS_ADMIN"]}},
	{"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38,
		"excludes": {"caps": ["CAP_SYS_ADMIN"]}},
	{"names": ["chroot"], "action": "SCMP_ACT_ERRNO", "excludes": {"caps": ["CAP_SYS_CHROOT"]}},
	{"names": ["set_tls"], "action": "SCMP_ACT_ALLOW", "includes": {"arches": ["arm"]}},
	{"names": ["clone"], "action": "SCMP_ACT_ALLOW",
		"args": [{"index": 0, "value": 2114060288, "op": "SCMP_CMP_MASKED_EQ"}],
		"excludes": {"caps": ["CAP_SYS_ADMIN"]}}]}
END
jq -f "$QUOD_TEST_SOURCE/packaging/containers/seccomp.jq" "$dir/default.json" >"$dir/out" 2>"$dir/err"
record_has '.architectures == ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_S390X"]' \
	'profile: its machines'
record_has '[.syscalls[] | del(.args)] == [
	{"names": ["read"], "action": "SCMP_ACT_ALLOW"},
	{"names": ["chroot"], "action": "SCMP_ACT_ALLOW"},
	{"names": ["clone"], "action": "SCMP_ACT_ALLOW"},
	{"names": .syscalls[-1].names, "action": "SCMP_ACT_ALLOW"}]' \
	'profile: what concerns a container with default capabilities, and no call twice'
record_has '.syscalls[-1].names | contains(["clone3", "umount2", "pivot_root"])' \
	'profile: what quod needs'
record_has '.syscalls[2].args[0].value == 2114060288' 'profile: conditions on arguments stay'
cp "$dir/out" "$dir/once.json"
jq -f "$QUOD_TEST_SOURCE/packaging/containers/seccomp.jq" "$dir/once.json" >"$dir/out"
holds 'profile: done twice it is the same' cmp "$dir/once.json" "$dir/out"

# --- quodd ---
if [ -x "$QUOD_TEST_BUILD/quodd" ]; then
	code=0
	timeout -k 5 60 "$deny" unshare EPERM "$QUOD_TEST_BUILD/quodd" --socket "$dir/socket" \
		>"$dir/out" 2>"$dir/err" </dev/null || code=$?
	is "$code" 1 'unshare is EPERM: quodd does not start'
	has "$(cat "$dir/err")" "$filter" 'unshare is EPERM: and says whose doing it is'
fi
tap_done
