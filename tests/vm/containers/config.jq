# SPDX-License-Identifier: MIT
# config.jq: the configuration of one container for an OCI runtime, as container engines make
# it by default, then changed by the words of $changes, each of them one thing that a user
# grants or takes away. Needs also $args (the command), $build (quod's), $seccomp (the
# engines' default profile), $granted (the same with what quod needs), $cgroup (its path).

def capabilities($names): $names | map("CAP_" + .) | {bounding: ., effective: ., permitted: .};
def default_capabilities: ["AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD",
	"NET_BIND_SERVICE", "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"];
def all_capabilities: default_capabilities + ["AUDIT_CONTROL", "BLOCK_SUSPEND", "DAC_READ_SEARCH",
	"IPC_LOCK", "IPC_OWNER", "LEASE", "LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE", "NET_ADMIN",
	"NET_BROADCAST", "SYS_ADMIN", "SYS_BOOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE",
	"SYS_RAWIO", "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "SYSLOG", "WAKE_ALARM"];

def at($where; change): .mounts |= map(if .destination == $where then change else . end);
def tmpfs($where): .mounts += [{destination: $where, type: "tmpfs", source: "tmpfs",
	options: ["nosuid", "nodev", "noexec", "mode=755"]}];

# What engines open by themselves for --cap-add SYS_ADMIN.
def for_admin: .linux.seccomp.syscalls |= (map(select(.names != ["clone3"] and .names != ["clone"]))
	+ [{action: "SCMP_ACT_ALLOW", names: ["bpf", "clone", "clone3", "fanotify_init", "fsconfig",
		"fsmount", "fsopen", "fspick", "mount", "mount_setattr", "move_mount", "open_tree",
		"perf_event_open", "quotactl", "setdomainname", "sethostname", "setns", "syslog",
		"umount2", "unshare"]}]);

def change($word):
	if $word == "seccomp=quod" then .linux.seccomp = $granted[0]
	elif $word == "seccomp=none" then del(.linux.seccomp)
	elif $word == "user" then .process.user = {uid: 1000, gid: 1000}
	elif $word == "no-caps" then .process.capabilities = capabilities([])
	elif $word == "admin" then
		.process.capabilities = capabilities(default_capabilities + ["SYS_ADMIN"]) | for_admin
	elif $word == "privileged" then
		.process.capabilities = capabilities(all_capabilities)
		| .process.noNewPrivileges = false
		| .linux |= del(.seccomp, .maskedPaths, .readonlyPaths)
		| change("cgroup=rw")
	elif $word == "userns" then
		.linux.namespaces += [{type: "user"}]
		| .linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}]
		| .linux.gidMappings = .linux.uidMappings
	elif $word == "cgroup=rw" then at("/sys/fs/cgroup"; .options -= ["ro"])
	elif $word == "cgroup=host-ns" then .linux.namespaces -= [{type: "cgroup"}]
	elif $word == "read-only" then .root.readonly = true
	elif $word == "tmpfs" then tmpfs("/run/quod")
	elif $word == "no-proc" then
		.mounts |= map(select(.destination != "/proc")) | .linux |= del(.maskedPaths, .readonlyPaths)
	elif $word == "one-process" then .linux.resources.pids.limit = 1
	elif $word == "no-files" then .mounts |= map(select(.destination != "/usr"))
	elif $word | startswith("apparmor=") then .process.apparmorProfile = ($word | ltrimstr("apparmor="))
	else error("no such change: " + $word) end;

{
	ociVersion: "1.0.2",
	hostname: "container",
	root: {path: "rootfs", readonly: false},
	process: {
		user: {uid: 0, gid: 0},
		cwd: "/",
		args: $args,
		env: ["PATH=/usr/sbin:/usr/bin", "QUOD_JS=/srv/build/quod-js", "QUOD_SCOPE=/none"],
		noNewPrivileges: true,
		capabilities: capabilities(default_capabilities)
	},
	mounts: [
		{destination: "/proc", type: "proc", source: "proc", options: ["nosuid", "noexec", "nodev"]},
		{destination: "/dev", type: "tmpfs", source: "tmpfs",
			options: ["nosuid", "strictatime", "mode=755", "size=65536k"]},
		{destination: "/sys", type: "sysfs", source: "sysfs", options: ["nosuid", "noexec", "nodev", "ro"]},
		{destination: "/sys/fs/cgroup", type: "cgroup", source: "cgroup",
			options: ["nosuid", "noexec", "nodev", "ro"]},
		{destination: "/usr", type: "bind", source: "/usr", options: ["rbind", "ro"]},
		{destination: "/srv/build", type: "bind", source: $build, options: ["rbind", "ro"]}
	],
	linux: {
		namespaces: (["cgroup", "ipc", "mount", "network", "pid", "uts"] | map({type: .})),
		cgroupsPath: $cgroup,
		resources: {memory: {limit: 268435456}, pids: {limit: 64}},
		maskedPaths: ["/proc/acpi", "/proc/asound", "/proc/interrupts", "/proc/kcore", "/proc/keys",
			"/proc/latency_stats", "/proc/sched_debug", "/proc/scsi", "/proc/timer_list",
			"/proc/timer_stats", "/sys/devices/virtual/powercap", "/sys/firmware"],
		readonlyPaths: ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"],
		seccomp: $seccomp[0]
	}
} | reduce ($changes | split(" ") | .[] | select(. != "")) as $word (.; change($word))
