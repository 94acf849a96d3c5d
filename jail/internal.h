/* SPDX-License-Identifier: MIT */
/* What the files of libjail share and nobody else sees. */
#ifndef QUOD_JAIL_INTERNAL_H
#define QUOD_JAIL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "jail/jail.h"

/* error.c. Fills err (may be NULL) and returns -errnum. A remedy for (stage, errnum), if
 * there is one, is appended in brackets. Allocates nothing: also used in the child. */
int jail_fail(struct jail_error *err, enum jail_stage stage, int errnum,
	      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* remedy.c. What mends it, or NULL; a static string. */
const char *jail_remedy(enum jail_stage stage, int errnum);
/* remedy.c. The cause of a refused clone3, found by looking at the host. Into a buffer.
 */
void jail_explain_clone(int errnum, bool into_cgroup, char *to, size_t size);
/* remedy.c. The same for an empty root that cannot be made in a user namespace; static,
 * or NULL. */
const char *jail_explain_root(int errnum);

/* The kernel that has all we need. */
#define KERNEL_MAJOR_LEAST 5
#define KERNEL_MINOR_LEAST 14

/*
 * around.c: what mends a refusal of who stands around us, or NULL where it was somebody
 * else. Only before a filter of our own is there. Opens files where the errno alone does
 * not say enough; allocates nothing.
 */
const char *around_remedy(enum jail_stage stage, int errnum);
const char *around_clone(int errnum);
/* Is a seccomp filter on? */
bool around_has_filter(void);

/* spec.c */
int spec_check(const struct jail_spec *spec, struct jail_error *err);

/*
 * lease.c: a host uid (and the gid of the same number) that no other jail on this host
 * has. The lease is a lock on one byte of a file, held by `fd`: it ends with the process.
 */
struct lease {
	int fd; /* -1: nothing leased */
	uint32_t uid;
};
int lease_take(uint32_t first, uint32_t count, struct lease *ret_lease,
	       struct jail_error *err);
void lease_give_back(struct lease *lease);

/* idmap.c */
struct idmap {
	bool root_mode; /* outer ids are leased; groups are dropped; else the caller's own
			 */
	uint32_t inside;
	uint32_t uid_outside, gid_outside;
};
/* CAP_SETUID and CAP_SETGID effective and the whole range mapped here: may we lease? What
 * cannot be found out is an error: to guess "no" would make root's guest root outside. */
int idmap_root_mode(uint32_t first, uint32_t count, bool *ret_root,
		    struct jail_error *err);
/* goes_first: the process is also made the one that goes first when the host runs out of
 * memory. */
int idmap_write(const struct idmap *map, pid_t pid, bool goes_first,
		struct jail_error *err);
/* Of this process, which is in a user namespace of its own. */
int idmap_write_own(const struct idmap *map, struct jail_error *err);

/* cgroup_find.c: a cgroup below which we may work. */
#define CGROUP_SUPERVISOR "supervisor"
struct place {
	int dir_fd;	 /* O_PATH; whoever has opened the place closes it */
	char path[1024]; /* for messages, without the leading slash */
	bool ours;	 /* we are in it, or in its leaf for supervisors */
};
int place_own(struct place *ret_place, struct jail_error *err);
int place_given(const char *path, struct place *ret_place, struct jail_error *err);
/* The top of what we see of the hierarchy; dir_fd is -1 on an error. */
int place_top(struct place *ret_place);

/* cgroup_group.c. Is the controller there for our leaves? If not, err says why not.
 * *ret_name is set in any case; static. */
#define GROUP_CONTROLLERS 3
/* Would the leaves of our own cgroup have a limit of swap? Errors: there can be none. */
int group_try_swap(bool *ret_limited, struct jail_error *err);
int group_try_controller(unsigned which, const char **ret_name, struct jail_error *err);
/* Every controller that the group has is handed down to what lies in it. */
void group_hand_down(int group_fd);

/* cgroup.c: the leaf of one jail. Every fd it needs is opened before the guest starts,
 * so that a supervisor which can open nothing any more can still watch and kill. */
enum knob {
	KNOB_KILL,
	KNOB_EVENTS,
	KNOB_MEMORY_EVENTS,
	KNOB_GROUP_EVENTS, /* whose memory ran out, if not ours? */
	KNOB_PLACE_EVENTS,
	KNOB_ABOVE_EVENTS,
	KNOB_MEMORY_PEAK,
	KNOB_PIDS_PEAK,
	KNOB_CPU_STAT,
	KNOB_CPU_MAX,
	KNOB_PIDS_MAX,
	KNOB_COUNT
};
/* The id of its run, and what no id has: a sweep kills what lies under such a name, and
 * an operator's own cgroup must never have one by chance. */
#define LEAF_SUFFIX ".run"
/* And of a group in the group, see cgroup_share.c. */
#define SHARE_SUFFIX   ".share"
#define LEAF_NAME_ROOM (64 + sizeof(LEAF_SUFFIX))

struct leaf {
	int base_fd; /* where it lies; own copy */
	int dir_fd;  /* -1: no leaf */
	int knob_fd[KNOB_COUNT];
	char name[LEAF_NAME_ROOM];
	bool memory, cpu, pids; /* written and read back */
	bool alone; /* one process and thread: its own clock knows all its CPU time */
	uint64_t oom_above; /* ooms of the cgroups above when the run began */
};
/* The monotonic clock. */
int64_t now_ms(void);

/* cgroup_knob.c. Reads give fresh content; text is NUL-terminated. Errors: -errno. */
ssize_t knob_read(int fd, char *text, size_t size);
int knob_write(int dir_fd, const char *name, const char *text);
/* The value after "KEY " at a line's start. False: not there, not readable, fd < 0. */
bool knob_keyed(int fd, const char *key, uint64_t *ret_value);
/* False also for "max". */
bool knob_number(int fd, uint64_t *ret_value);
/* Writes a number and reads it back. *ret_set is false where the knob does not exist: its
 * controller is not here. */
int knob_set(int dir_fd, const char *dir, const char *name, uint64_t value,
	     uint64_t slack, bool *ret_set, struct jail_error *err);

/* Everything -1 that is a descriptor. */
void leaf_init(struct leaf *leaf);
int leaf_make(int base_fd, const char *id, const struct jail_limits *limits,
	      struct leaf *leaf, struct jail_error *err);
/* cgroup_sweep.c: kills and removes what supervisors that were killed have left. Returns how
 * many of those are still there. */
unsigned leaf_sweep(int base_fd);
/* The same for shares, with the leaves in them. */
void share_sweep(int group_fd);
/* Removed by somebody while we had it open. */
bool leaf_is_gone(int dir_fd);
/* By its cgroup.events, which polls when it changes. -EBUSY: not empty at the end. */
int leaf_events_wait_empty(int events_fd, int64_t end_ms);
int leaf_open_knobs(struct leaf *leaf, struct jail_error *err);
int leaf_kill(struct leaf *leaf);
int leaf_wait_empty(struct leaf *leaf, int timeout_ms);
int leaf_collect(const struct leaf *leaf, struct jail_result *result,
		 struct jail_error *err);
int leaf_cpu_us(const struct leaf *leaf, uint64_t *ret_us);
int leaf_remove(struct leaf *leaf, struct jail_error *err);
void leaf_close(struct leaf *leaf);

/* caps.c. Our own effective capabilities, bit n is capability n. */
int caps_effective(uint64_t *ret_mask);

/*
 * Everything that the child needs, prepared before clone: after it the child only makes
 * system calls on this.
 */
struct child_plan {
	const char *exe_name;
	char *const *argv;
	int exe_fd;
	int supervisor_fd;     /* pidfd of the process that clones */
	int go_read, go_write; /* one byte: ids are mapped; EOF: the supervisor is gone */
	int status_write; /* a struct jail_error when set-up ends, one way or other */
	int std_fd[3];	  /* the guest's ends */
	struct idmap map;
	struct jail_limits limits;
	bool rlimit_data;  /* no cgroup holds memory */
	bool rlimit_tasks; /* no cgroup and no filter holds processes */
	struct sock_fprog first_filter, filter, notify_filter;
	int notify_socket; /* -1: no notify_filter; the child's end */
	int notify_fd;	   /* what it becomes in the child */
	bool loopback;
	/* What a child of a zygote has already. */
	bool of_zygote; /* dispositions, and a session without a terminal */
	bool rooted;	/* an empty root: only the lid is missing */
};

/* child.c: the other side of the numbered steps in spawn.c. */
_Noreturn void child_main(const struct child_plan *plan);
/* child.c. No disposition of the caller's, ignored ones included, is left. */
int child_reset_dispositions(struct jail_error *err);

/* Steps of the child that live with their subject. Each fills err as jail_fail() does. */
int child_empty_root(struct jail_error *err); /* rootfs.c */
/* Its two halves: without the lid user namespaces can still be made; and the lid alone, for
 * who has such a root already. */
int root_make(struct jail_error *err);
int root_cover(struct jail_error *err);
/* For a process that keeps one directory: its working directory as a mount of nobody yet
 * (*ret_tree is the caller's), then the empty root with that in it. */
int root_copy_directory(int *ret_tree, struct jail_error *err);
int root_with_tree(int tree, const char *name, struct jail_error *err);
int child_loopback_up(struct jail_error *err);	     /* loopback.c */
int child_drop_capabilities(struct jail_error *err); /* caps.c */
/* tasks.c. RLIMIT_NPROC, once it has been seen to hold. */
int child_limit_tasks(uint32_t most, struct jail_error *err);
/* tasks.c. Does RLIMIT_NPROC hold for this process? It changes that limit. -EOPNOTSUPP:
 * it does not; other errors: that could not be found out. */
int tasks_try_rlimit(void);
/* notify.c. *ret_on stays false where there can be no listener: then no filter is on. */
int child_notify(const struct child_plan *plan, bool *ret_on, struct jail_error *err);

/* spawn.c. *ret_fd (the caller's): a pidfd of ours, of `least` or above, that signals go
 * through. */
int lifeline_open(int least, int *ret_fd, struct jail_error *err);

/* spawn.c. A jail's first process, with every namespace, born in the cgroup `group` (-1: in
 * ours), and with what else `args` asks for. Returns in both processes, 0 in the child; or
 * -errno. */
struct clone_args;
int clone_jail(struct clone_args args, int group);

/* What the owner of a template sends to its zygote, in one message: this, the two filters,
 * and the strings (exe_name, then the arguments), each with its end. The descriptors of
 * the plan come beside it, in the order of order_fd(). */
#define ORDER_FDS  8
#define ORDER_ARGS 8
#define ORDER_ROOM 32768
struct order {
	struct child_plan plan; /* the pointers in it are the receiver's to set */
	int group;		/* the cgroup that the child is born in */
	bool has_group;		/* else any descriptor, for its place */
	unsigned args;
};
union order_fds {
	struct cmsghdr head;
	char room[CMSG_SPACE(sizeof(int) * ORDER_FDS)];
};
int *order_fd(struct order *order, unsigned which);

/* zygote.c */
struct zygote {
	int socket;
	pid_t owner;
	pid_t *born; /* shared with the owner */
};
/* Sends a struct jail_error (errnum 0: it is ready), then a pid or -errno for each order. */
_Noreturn void zygote_main(const struct zygote *zygote);

/* template.c: a zygote as its owner has it. */
struct zygote_at {
	pid_t pid; /* ours to reap; 0: there is none */
	int socket;
	pid_t *born; /* what it has cloned last */
	bool busy;   /* an answer is due */
	struct jail_template *template;
};
/* idmap_root_mode() of the owner, found out once. */
int template_root_mode(struct jail_template *template, uint32_t first, uint32_t count,
		       bool *ret_root, struct jail_error *err);
/* The owner's pidfd, which stays the template's; -1: the caller is not the owner, or has
 * closed what he did not know. */
int template_lifeline(const struct jail_template *template);
/* Asks for a child of ours that follows the plan, born in the cgroup `group` (-1: in ours).
 * Returns who will answer; NULL: nobody can. */
struct zygote_at *template_ask(struct jail_template *template,
			       const struct child_plan *plan, int group);
/* Until there is an answer, or it does not come. */
void template_await(const struct zygote_at *zygote);
/* The answer, which is due or does not come: the child's pid, and *ret_pidfd is the
 * caller's; or -errno: there is no child, and one may be cloned without the template. */
int template_answer(struct zygote_at *zygote, int *ret_pidfd);

struct jail {
	pid_t pid;
	int fd[JAIL_FD_COUNT];
	int go_write; /* held open while the child sets up */
	int go_read;  /* until that is written to: a child that died would be a SIGPIPE */
	int status_read;
	struct lease lease;
	struct leaf leaf;
	int stat_fd;   /* -1: there is a leaf, or no process but pid 1 */
	int mounts_fd; /* its mount namespace, with JAIL_HOLD_MOUNTS; -1: not held */
	enum jail_enforcer by_memory, by_cpu, by_processes;
	bool reaped;
	/* Begun and not finished: what finishing takes. NULL: it is finished. */
	struct zygote_at *zygote;
	struct idmap map;
	struct jail_limits limits;
	bool hold_mounts;
};

/* cpu.c. S7, of a jail that has been started. */
void cpu_open(struct jail *jail, const struct jail_limits *limits);
/* jail.c. Kills and reaps what still runs, and takes down what outlives it. */
void jail_end(struct jail *jail);
/* jail.c. The child's last word on its set-up: 1, 0 if it said none, or what read(2)
 * gives. */
int jail_last_report(const struct jail *jail, struct jail_error *ret_report);
/* jail.c. The failure of a set-up of which the child said nothing. */
int jail_killed_early(struct jail_error *err);

#endif
