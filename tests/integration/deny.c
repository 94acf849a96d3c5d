/* SPDX-License-Identifier: MIT */
/*
 * deny CALL HOW PROGRAM ARG...: runs the program where one system call answers an error,
 * as an old kernel or a container's filter would: ENOSYS, EPERM or EINVAL, by name. HOW
 * may also be LISTENER: the call is told to a listener, which nobody reads, and no other
 * filter can have one.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* `flags`, if not 0: only with that second argument. */
static const struct call {
	const char *name;
	long number;
	unsigned flags;
} calls[] = {
	{"clone3", SYS_clone3},
	/* Not where it would be refused anyhow: it looks like the kernel's own answer. */
	{"clone3_in_earnest", SYS_clone3, sizeof(struct clone_args)},
	{"close_range", SYS_close_range},
	{"fsconfig", SYS_fsconfig},
	{"fsmount", SYS_fsmount},
	{"fsopen", SYS_fsopen},
	{"move_mount", SYS_move_mount},
	{"pidfd_open", SYS_pidfd_open},
	{"pidfd_send_signal", SYS_pidfd_send_signal},
	{"pivot_root", SYS_pivot_root},
	{"seccomp", SYS_seccomp},
	{"execveat", SYS_execveat},
	{"socket", SYS_socket},
	{"getuid", SYS_getuid},
	{"sendmsg", SYS_sendmsg},
	{"socketpair", SYS_socketpair},
	{"umount2", SYS_umount2},
	{"unshare", SYS_unshare},
	{"new_listener", SYS_seccomp, SECCOMP_FILTER_FLAG_NEW_LISTENER},
};

static const struct {
	const char *name;
	unsigned action;
} hows[] = {
	{"ENOSYS", SECCOMP_RET_ERRNO | ENOSYS},
	{"EPERM", SECCOMP_RET_ERRNO | EPERM},
	{"EINVAL", SECCOMP_RET_ERRNO | EINVAL},
	{"LISTENER", SECCOMP_RET_USER_NOTIF},
};

/* Its claim lasts as long as somebody holds it, which the program would not. */
static int hold_listener(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid <= 0)
		return (int)pid;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			_exit(98);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static int load(const struct sock_fprog *program, unsigned action)
{
	if (action != SECCOMP_RET_USER_NOTIF)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
	long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			  SECCOMP_FILTER_FLAG_NEW_LISTENER, program);
	return fd < 0 ? -1 : hold_listener();
}

static int deny(const struct call *call, unsigned action)
{
	unsigned second = offsetof(struct seccomp_data, args[1]);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call->number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, second),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->flags, 0, !!call->flags),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]),
				     .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return load(&program, action);
}

static void deny_by_name(const char *call, const char *how)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		for (size_t j = 0; j < sizeof(hows) / sizeof(hows[0]); j++)
			if (strcmp(call, calls[i].name) == 0 &&
			    strcmp(how, hows[j].name) == 0 &&
			    deny(&calls[i], hows[j].action) == 0)
				return;
	perror("deny");
	_exit(98);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 99;
	deny_by_name(argv[1], argv[2]);
	execvp(argv[3], argv + 3);
	perror("deny");
	return 98;
}
