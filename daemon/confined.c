/* SPDX-License-Identifier: MIT */
/*
 * The order: namespaces and the root while we still may, then the ids, which forget the
 * parent-death signal and so come before it. The monitor may have died before that is set:
 * then its end of the socket pair is closed, which is what the event loop sees first.
 */
#include "daemon/confined.h"

#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/log.h"
#include "policy/filter_server.h"

static int fail(struct jail_error *err, enum jail_stage stage, const char *what)
{
	*err = (struct jail_error){.stage = stage, .errnum = errno};
	snprintf(err->text, sizeof(err->text), "%s: %s", what, strerror(errno));
	return -err->errnum;
}

/* In a user namespace that has no such id we stay who we are: nobody of the host. */
static int become(uid_t uid, gid_t gid, struct jail_error *err)
{
	if (uid == 0 || geteuid() != 0)
		return 0;
	if (setresgid(gid, gid, gid) < 0) {
		if (errno != EINVAL)
			return fail(err, JAIL_STAGE_CREDENTIALS, "setresgid");
		log_say("there is no user %u in this user namespace: the server stays "
			"user %u, without capabilities",
			uid, geteuid());
		return 0;
	}
	if (setgroups(0, NULL) < 0)
		return fail(err, JAIL_STAGE_CREDENTIALS, "setgroups");
	if (setresuid(uid, uid, uid) < 0)
		return fail(err, JAIL_STAGE_CREDENTIALS, "setresuid");
	return 0;
}

/* The kernel refuses the first number that is no capability. */
static int drop_bounding_set(struct jail_error *err)
{
	unsigned long cap = 0;

	while (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
		cap++;
	return errno == EINVAL ? 0
			       : fail(err, JAIL_STAGE_CAPABILITIES, "PR_CAPBSET_DROP");
}

static int set_process(struct jail_error *err)
{
	const struct rlimit none = {0, 0};

	if (setrlimit(RLIMIT_CORE, &none) < 0)
		return fail(err, JAIL_STAGE_RLIMITS, "RLIMIT_CORE");
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return fail(err, JAIL_STAGE_CREDENTIALS, "PR_SET_DUMPABLE");
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return fail(err, JAIL_STAGE_LIFELINE, "PR_SET_PDEATHSIG");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail(err, JAIL_STAGE_CAPABILITIES, "PR_SET_NO_NEW_PRIVS");
	return 0;
}

int server_leave(int history, uid_t uid, gid_t gid, struct seen *ret_seen,
		 struct jail_error *err)
{
	int r = jail_empty_own_root(history, SERVER_HISTORY_NAME, err);
	struct seen seen = {geteuid(), getegid()};

	if (r == 0)
		r = drop_bounding_set(err);
	if (r == 0)
		r = become(uid, gid, err);
	if (r == 0)
		r = jail_drop_own_capabilities(err);
	if (r == 0)
		r = set_process(err);
	if (r == 0)
		*ret_seen = seen;
	return r;
}

int server_seal(struct jail_error *err)
{
	static const struct sock_fprog filter = {
		.len = ARRAY_LEN(filter_server),
		.filter = (struct sock_filter *)filter_server,
	};

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0)
		return fail(err, JAIL_STAGE_FILTER, "seccomp");
	return 0;
}
