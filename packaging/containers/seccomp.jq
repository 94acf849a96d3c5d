# SPDX-License-Identifier: MIT
# seccomp.jq: makes of a container engine's default seccomp profile one under which quod
# runs; docs/containers.md says what that costs.
#
#	jq -f seccomp.jq default.json >quod.json
#
# Reads the engines' own form, where a rule may be for some capabilities and machines only,
# or that of the OCI, and writes that of the OCI, which all of them and Kubernetes take. The
# conditions are resolved for a container with the engine's default capabilities. What quod
# needs is taken out of every rule, then allowed by one: a rule that answers ENOSYS to clone3
# and one that allows it must not stand beside each other.

# quod: clone3 to umount2. quodd also hides its own root, by the last three.
def needed: ["clone3", "fsconfig", "fsmount", "fsopen", "move_mount", "open_tree", "pivot_root",
	"umount2", "mount", "mount_setattr", "unshare"];

def default_capabilities: ["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
	"NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"]
	| map("CAP_" + .);

def for_us:
	((.includes.caps // []) - default_capabilities == [])
	and ((.excludes.caps // []) - default_capabilities == (.excludes.caps // []))
	and ((.includes.arches // ["amd64"]) | any(. == "amd64" or . == "arm64"));

{
	defaultAction,
	defaultErrnoRet,
	architectures: (.architectures // (.archMap // [] | map(.architecture, .subArchitectures[]?))),
	syscalls: (
		[.syscalls[] | select(for_us)
			| {names: (.names - needed), action, errnoRet, args}
			| select(.names != [])
			| with_entries(select(.value != null))]
		+ [{names: needed, action: "SCMP_ACT_ALLOW"}])
} | with_entries(select(.value != null and .value != []))
