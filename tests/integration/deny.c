/* SPDX-License-Identifier: MIT */
/*
 * deny CALL ERRNO PROGRAM ARG...: runs the program where one system call answers an
 * error, as an old kernel or a container's filter would: ENOSYS or EPERM, by name.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	long number;
} calls[] = {
	{"clone3", SYS_clone3},		{"close_range", SYS_close_range},
	{"fsconfig", SYS_fsconfig},	{"fsmount", SYS_fsmount},
	{"fsopen", SYS_fsopen},		{"move_mount", SYS_move_mount},
	{"pidfd_open", SYS_pidfd_open}, {"pidfd_send_signal", SYS_pidfd_send_signal},
	{"pivot_root", SYS_pivot_root}, {"seccomp", SYS_seccomp},
	{"execveat", SYS_execveat},
};

static int deny(long number, unsigned errnum)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]),
				     .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 99;
	unsigned errnum = strcmp(argv[2], "ENOSYS") == 0 ? ENOSYS : EPERM;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(argv[1], calls[i].name) == 0 &&
		    deny(calls[i].number, errnum) == 0)
			execvp(argv[3], argv + 3);
	perror("deny");
	return 98;
}
