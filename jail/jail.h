/* SPDX-License-Identifier: MIT */
/*
 * libjail: runs one static program in one Linux jail and says how it ended.
 *
 *	struct jail_spec spec = JAIL_SPEC_INIT;      what to run, under which limits
 *	jail_start(&spec, &jail, &err);              clones; set-up goes on in the child
 *	... poll jail_fd(jail, JAIL_FD_PIDFD) and the pipes; jail_kill() when it is enough
 *... jail_wait(jail, &result, &err);              reaps, collects, removes
 *	jail_free(jail);
 *
 * The jail: user, pid, net, mount, ipc, uts and cgroup namespaces of its own; a root
 * that is one empty read-only tmpfs; no capability in any set; no_new_privs; the given
 * seccomp filter; pipes as fds 0, 1, 2 and nothing else open; an empty environment.
 *
 * Failures are of two kinds that never mix. A function that returns a negative errno
 * means that *we* failed: `err`, if not NULL, then says at which stage, on what, and
 * what mends it. A guest that ended badly is no failure: see struct jail_result.
 * Outputs named ret_* are written only on success.
 *
 * The library prints nothing, logs nothing, never exits, and keeps no global state. The
 * process that calls jail_start() must have one thread: the child inherits only it, and
 * the kernel's parent-death signal is bound to the thread that cloned.
 */
#ifndef QUOD_JAIL_H
#define QUOD_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JAIL_API __attribute__((visibility("default")))

/* Every stage of a jail's life, in order. The second column is what a message shows. */
#define JAIL_STAGES(X)                                                        \
	X(NONE, "none")                                                       \
	X(SPEC, "spec")	      /* the specification makes no sense */          \
	X(LEASE, "uid-lease") /* no host uid of its own to be had */          \
	X(CGROUP, "cgroup")   /* leaf, knobs, read-back */                    \
	X(PIPES, "pipes")                                                     \
	X(CLONE, "clone")	      /* the namespaces themselves */         \
	X(IDMAP, "id-map")	      /* uid_map, gid_map, setgroups */       \
	X(GO, "go")		      /* child: waiting for the supervisor */ \
	X(ROOTFS, "rootfs")	      /* child: empty root, pivot */          \
	X(LOOPBACK, "loopback")	      /* child: lo up */                      \
	X(CREDENTIALS, "credentials") /* child: gid, groups, uid */           \
	X(RLIMITS, "rlimits")                                                 \
	X(CAPABILITIES, "capabilities")                                       \
	X(LIFELINE, "lifeline") /* child: die with the supervisor */          \
	X(FDS, "fds")                                                         \
	X(FILTER, "filter")                                                   \
	X(EXEC, "exec")                                                       \
	X(RUN, "run") /* the program runs */                                  \
	X(KILL, "kill")                                                       \
	X(COLLECT, "collect") /* reap, usage, populated 0 */                  \
	X(REMOVE, "remove")   /* leaf gone, uid given back */

enum jail_stage {
#define X(name, text) JAIL_STAGE_##name,
	JAIL_STAGES(X)
#undef X
		JAIL_STAGES_COUNT
};

/* Fixed size and no pointers, so that a child can send it in one write. */
struct jail_error {
	int32_t stage;	/* enum jail_stage */
	int32_t errnum; /* positive errno, never 0 in a failure */
	char text[504]; /* one sentence: what, on which object, why, and what mends it */
};

/* Name of a stage, "unknown" for a number that is none. Static. */
JAIL_API const char *jail_stage_name(int stage);

/* What holds a limit. */
enum jail_enforcer {
	JAIL_BY_NOTHING,
	JAIL_BY_CGROUP,
	JAIL_BY_RLIMIT,
	JAIL_BY_FILTER, /* the filter of the spec refuses what would be counted */
};

/* 0 means: no limit of this kind, except for open_files, where it means not one. */
struct jail_limits {
	uint64_t memory_bytes; /* memory.max with swap 0; without a cgroup RLIMIT_DATA */
	uint64_t
		stack_bytes; /* RLIMIT_STACK; counted by memory.max, not by RLIMIT_DATA */
	/* RLIMIT_AS, only where RLIMIT_DATA holds memory: bounds what that does not count
	 * (what is only read, page tables), so it must leave room for the program itself
	 * and for what it reserves. */
	uint64_t address_bytes;
	uint32_t cpu_seconds; /* RLIMIT_CPU, a backstop: whole seconds, soft = hard */
	uint32_t cpu_percent; /* cpu.max, 100 = one CPU; only by cgroup */
	/* Threads count. pids.max; without it the filter, if it refuses them, else
	 * RLIMIT_NPROC. Where that does not hold either there is no jail. */
	uint32_t processes;
	uint32_t open_files; /* RLIMIT_NOFILE; 0, 1, 2 are open whatever it says */
};

enum jail_flag {
	JAIL_LOOPBACK_UP = 1 << 0, /* bring up lo; otherwise no interface is up */
	JAIL_NEED_CGROUP =
		1 << 1, /* fail where a limit that a cgroup can hold is not held */
	JAIL_FILTER_NO_FORK =
		1 << 2, /* spec.filter refuses fork: then it holds `processes` */
	/* Its mount namespace is taken down by jail_remove(), not by its last process,
	 * whose end comes 0.1 ms sooner. On Linux before 6.11 without effect. */
	JAIL_HOLD_MOUNTS = 1 << 3,
};

/*
 * Everything is borrowed until jail_start() returns, except what says otherwise.
 */
struct jail_spec {
	const char *id;		  /* names the cgroup leaf: 1 to 64 of [A-Za-z0-9_-] */
	int exe_fd;		  /* the program, O_PATH or readable; static ELF */
	const char *exe_name;	  /* for messages and argv[0] where argv is NULL */
	char *const *argv;	  /* NULL: { exe_name } */
	struct sock_fprog filter; /* the last wall before execveat; len 0: none (tests) */
	/* Put on before it, and before notify_filter: the strictest answer counts. len 0:
	 * none. It must let through what comes after it: seccomp, and what notify_filter
	 * must. */
	struct sock_fprog first_filter;
	/* Put on instead where the kernel gives it a listener (JAIL_FD_NOTIFY); len 0:
	 * never. It must let through what comes after it: sendmsg on descriptor notify_fd
	 * (3 to 63), prlimit64 of RLIMIT_NOFILE, write, execveat, exit_group. */
	struct sock_fprog notify_filter;
	int notify_fd;
	struct jail_limits limits;
	unsigned flags;	     /* enum jail_flag */
	int cgroup_fd;	     /* directory under which the leaf is made; -1: no cgroup */
	uint32_t uid_inside; /* uid and gid that the guest has in its namespace */
	uint32_t uid_first;  /* root mode: range of host uids (and gids) to lease from */
	uint32_t uid_count;  /* 0: the compiled-in range */
	struct jail_template *template; /* NULL: the caller clones the jail himself */
};

#define JAIL_UID_INSIDE 1000u
#define JAIL_SPEC_INIT                                                       \
	{                                                                    \
		.exe_fd = -1, .cgroup_fd = -1, .uid_inside = JAIL_UID_INSIDE \
	}

enum jail_end { JAIL_EXITED, JAIL_SIGNALED };

struct jail_result {
	enum jail_end end;
	int exit_code; /* with JAIL_EXITED */
	int signal;    /* with JAIL_SIGNALED */
	bool cgroup_used;
	bool memory_limit_hit; /* the leaf's own memory.events says oom */
	bool oom_killed; /* the kernel's OOM killer ended it, whoever's memory ran out */
	bool oom_in_group; /* then: that of the group `quod` or of the cgroup it is in */
	/* User and system. The whole tree with a cgroup, else pid 1 and whom it has
	 * waited for. */
	uint64_t cpu_us;
	uint64_t memory_peak_bytes; /* memory.peak, else the largest RSS of pid 1 */
	uint32_t pids_peak;	    /* 0: not known */
};

/*
 * Zygotes, for a supervisor that makes jail after jail: processes that do nothing but clone,
 * and have little to copy. A jail of theirs has namespaces of its own like others and is a
 * child of the caller's like others; it takes less to make. Where the caller may
 * make mount namespaces such jails begin in a root that is ready, and their roots are one
 * file system, read-only and empty. A lock on it, or a watch, would be seen in other jails:
 * so there is no template for those that may open files, nor for those with a notify_filter
 * (EINVAL).
 *
 * It is for the thread that made it, which outlives it, and not for a fork of the caller.
 * What the caller changes of himself afterwards, credentials, limits, namespaces or filters,
 * zygotes that are there do not follow. Where a zygote fails the jail is made without.
 * Errors: those of socketpair(2), clone3(2) and mount(2), ECHILD (it was killed).
 */
struct jail_template;
JAIL_API int jail_template_make(struct jail_template **ret_template,
				struct jail_error *err);
/* NULL is fine. */
JAIL_API void jail_template_free(struct jail_template *template);

struct jail;

/* Which descriptor of ours. IN is for writing, OUT and ERR for reading, all three
 * non-blocking; PIDFD polls readable when pid 1 of the jail has ended. NOTIFY, of a spec
 * with a notify_filter, polls readable when jail_take_listener() is due, and after that
 * when there is something for jail_read_violation(). */
enum jail_fd {
	JAIL_FD_PIDFD,
	JAIL_FD_IN,
	JAIL_FD_OUT,
	JAIL_FD_ERR,
	JAIL_FD_NOTIFY,
	JAIL_FD_COUNT
};

/*
 * Makes the namespaces, starts set-up in the child and returns without waiting for it:
 * a failure of set-up in the child comes out of jail_wait(). On success *ret_jail is the
 * caller's, to be ended with jail_free().
 * Errors: EINVAL (spec), EAGAIN (no free uid, or process limits), EPERM, ENOSPC (user
 * namespaces are off or used up), ENOSYS (kernel too old, or a filter above us), EMFILE,
 * ENFILE, ENOMEM, EBUSY, EROFS, ENOENT (cgroup), and what open(2) and write(2) give.
 */
JAIL_API int jail_start(const struct jail_spec *spec, struct jail **ret_jail,
			struct jail_error *err);

/*
 * The same in two halves, for a caller who has other things to do while a zygote clones.
 * With a template the jail may be pending when this returns: jail_pending_fd() is a
 * descriptor of the template's that polls readable when jail_finish() is due, which does
 * not wait then. Until then nothing but jail_free() is for such a jail, and its template
 * lives. After an error of jail_finish() it is to be freed, and jail_start() without the
 * template may do better. Without an idle zygote jail_begin() does all of jail_start().
 */
JAIL_API int jail_begin(const struct jail_spec *spec, struct jail **ret_jail,
			struct jail_error *err);
/* -1: it is not pending. */
JAIL_API int jail_pending_fd(const struct jail *jail);
JAIL_API int jail_finish(struct jail *jail, struct jail_error *err);

/* Still the jail's; -1 if closed. */
JAIL_API int jail_fd(const struct jail *jail, enum jail_fd which);

/* The guest then reads end of file. */
JAIL_API void jail_close_input(struct jail *jail);

/* All three pipes: somebody else has them now. */
JAIL_API void jail_close_pipes(struct jail *jail);

/* Who holds memory, CPU share and process count in this jail. */
JAIL_API enum jail_enforcer jail_memory_enforcer(const struct jail *jail);
JAIL_API enum jail_enforcer jail_cpu_enforcer(const struct jail *jail);
JAIL_API enum jail_enforcer jail_processes_enforcer(const struct jail *jail);

/* CPU time used so far, microseconds: the whole tree with a cgroup, else pid 1 and, where
 * there may be others, whom it has waited for. Errors: EIO, ESRCH (already reaped). */
JAIL_API int jail_cpu_us(const struct jail *jail, uint64_t *ret_us);

/*
 * The end of set-up: takes the listener from the child. Afterwards JAIL_FD_NOTIFY is -1
 * if there is none, because the kernel refused it or set-up failed; `filter` is then what
 * holds the guest. Needs recvmsg(2), never blocks. Errors: EAGAIN (not yet),
 * EMFILE.
 */
JAIL_API int jail_take_listener(struct jail *jail, struct jail_error *err);

/* A system call that was tried, in the kernel's words. */
struct jail_violation {
	uint32_t arch; /* AUDIT_ARCH_* */
	uint32_t number;
};

/*
 * The next call that notify_filter holds up. Whoever made it waits in it until the jail
 * is killed; it is answered, with ENOSYS, only when the listener is closed. Blocks unless
 * JAIL_FD_NOTIFY polls POLLIN. Errors: ENOENT (a call was made, but its caller is gone),
 * EINTR.
 */
JAIL_API int jail_read_violation(struct jail *jail, struct jail_violation *ret_violation);

/*
 * Kills the whole tree: with a cgroup its throttle is lifted, forks are stopped, then
 * cgroup.kill; in any case SIGKILL to pid 1 of the namespace, which takes all with it.
 * The caller writes down why before it calls. Killing what has ended is success.
 */
JAIL_API int jail_kill(struct jail *jail, struct jail_error *err);

/*
 * Waits for the end (the caller polls the pidfd first if it must not block), collects
 * usage, waits bounded for an empty cgroup, removes the leaf and gives the uid back.
 * If set-up failed in the child, returns its negative errno and fills err with the
 * child's stage and text. Call it once.
 */
JAIL_API int jail_wait(struct jail *jail, struct jail_result *ret_result,
		       struct jail_error *err);

/*
 * The same in two halves, for a caller who has more to do than to wait. The first gives
 * the result and never blocks once JAIL_FD_PIDFD polls readable. The second, once or more
 * after it, waits no longer than `wait_ms`: -EBUSY: somebody is still alive in the leaf,
 * and was killed; call it again, or leave it to a later start.
 */
JAIL_API int jail_collect(struct jail *jail, struct jail_result *ret_result,
			  struct jail_error *err);
JAIL_API int jail_remove(struct jail *jail, int wait_ms, struct jail_error *err);

/* Kills and reaps what still runs; NULL is fine. */
JAIL_API void jail_free(struct jail *jail);

/*
 * Closes every descriptor of the calling process above 2, except `ours`, of which those
 * that are -1 do not count: whoever started it may have left some open that nobody meant
 * it to have. Not before all files are read that were named by descriptor, as a shell's
 * <(...) does.
 * Errors: ENOSYS (kernel too old, or an outer filter), EPERM (an outer filter).
 */
JAIL_API int jail_close_inherited(const int *ours, size_t count, struct jail_error *err);

/*
 * Gives up every capability of the calling process. A jail that it has started can still
 * be killed: whoever made a user namespace has power over it.
 * Errors: EPERM (an outer filter).
 */
JAIL_API int jail_drop_own_capabilities(struct jail_error *err);

/*
 * Puts the calling process, which must have one thread, into an empty read-only root and
 * into mount, network, IPC and UTS namespaces of its own; what it has open it keeps.
 * Where it may not make these, it first makes a user namespace, in which its one uid and
 * gid are JAIL_UID_INSIDE: geteuid() then tells.
 *
 * `dir` (the caller's; -1: none) is a directory that stays in reach: as "/NAME", the one
 * thing in that root, and writable as far as its mount and its mode allow; nothing in it
 * can be executed, or be a device. Its name is one word without a slash.
 * Errors: those of clone3(2) for namespaces, of mount(2), and of writing the id maps.
 */
JAIL_API int jail_empty_own_root(int dir, const char *name, struct jail_error *err);

/*
 * A directory fd (the caller's) under which leaves can be made: the group `quod`, below
 * `dir`, a directory of a cgroup v2 mount that is delegated to the caller, or if that is
 * NULL below the caller's own cgroup. Controllers are handed down to it; if the caller
 * alone is in the way in its own cgroup, it moves into the subgroup `supervisor`. Leaves
 * that a killed supervisor has left are killed and removed.
 *
 * Returns -ENOENT or another errno, and says why, where there is none; a jail can run
 * without. `required`: also where one of the memory, pids and cpu controllers is missing
 * (ENODEV: on this host, EOPNOTSUPP: not delegated, EBUSY: processes are in the way).
 */
JAIL_API int jail_cgroup_open(const char *dir, bool required, int *ret_fd,
			      struct jail_error *err);

/*
 * A group within that group, for the jails of one of many: with limits for all of them
 * together. 0: no limit. The name is one path component, its owner's to keep unique. It is
 * this process's while the descriptor is open.
 */
struct jail_share {
	const char *name;      /* 1 to 128 bytes */
	uint64_t memory_bytes; /* memory.max */
	uint32_t processes;    /* pids.max */
	uint32_t cpu_weight;   /* cpu.weight, 1 to 10000; only where cpu can be shared */
};

/*
 * *ret_fd (the caller's) is for jail_spec.cgroup_fd. Errors: EOPNOTSUPP (a limit whose
 * controller is not there), EAGAIN (another process has it), EPERM (it is another user's),
 * EINVAL (the name), and what mkdir(2) and write(2) give.
 */
JAIL_API int jail_share_open(int group_fd, const struct jail_share *share, int *ret_fd,
			     struct jail_error *err);
/* Other limits from now on. Errors: as above; some may have been set. */
JAIL_API int jail_share_limit(int fd, const struct jail_share *share,
			      struct jail_error *err);
/* Errors: EBUSY (there are jails in it), and what rmdir(2) gives. What a process leaves is
 * removed by the next jail_cgroup_open(). */
JAIL_API int jail_share_remove(int group_fd, const struct jail_share *share);

/*
 * For a supervisor that lives long: the same removal once more, of what hung in the kernel
 * when its jail ended too. Returns how many leaves are still there that nobody uses. May
 * wait for 100 ms, once for each that it meets.
 */
JAIL_API unsigned jail_cgroup_sweep(int cgroup_fd);

/* One thing that this host can do, cannot, or can do in part. */
enum jail_probe_state { JAIL_PROBE_WORKS, JAIL_PROBE_LESS, JAIL_PROBE_FAILS };

struct jail_probe {
	const char *name; /* static, e.g. "user namespace" */
	enum jail_probe_state state;
	const char *tried; /* static: what was done to find it */
	char found[320];   /* what was found */
	char instead[200]; /* in part: which limit is held by what; may be empty */
	char remedy[240];  /* what to do; empty if it works */
};

/* Number of probes, and one of them tried now. Errors: EINVAL (no such index). */
JAIL_API unsigned jail_probe_count(void);
JAIL_API int jail_probe_run(unsigned index, struct jail_probe *ret_probe);

/* Which of the system calls that jails are made with, and with own_root also those of
 * jail_empty_own_root(), a seccomp filter around the caller refuses: as "clone3, unshare",
 * cut off at size, and their number. Some are found only by who may mount. Errors: ENOENT
 * (there is no filter). Not for one that has a filter of its own that kills. */
JAIL_API int jail_filter_refusals(bool own_root, char *ret_names, size_t size);

#ifdef __cplusplus
}
#endif

#endif
