/* SPDX-License-Identifier: MIT */
/*
 * How many descriptors and processes whoever starts jails may still have. Which of the
 * bounds on processes is in the way the kernel does not say: it is looked for.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/doctor_checks.h"

/* That a run has open at once where a cgroup holds its limits; 24 where none does. */
#define FILES_RUN 32u
/* A run has one process, and what is started beside it a few. */
#define PROCESSES_TRIED 8u

void check_files(struct doctor *doctor)
{
	struct finding *finding =
		doctor_add(doctor, "open files", "read the limit of our own");
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
		finding_is(finding, JAIL_PROBE_FAILS, "%s", strerror(errno));
		return;
	}
	finding_is(finding,
		   limit.rlim_cur < FILES_RUN ? JAIL_PROBE_LESS : JAIL_PROBE_WORKS,
		   "%ju of which a run needs up to %u", (uintmax_t)limit.rlim_cur,
		   FILES_RUN);
	if (limit.rlim_cur >= FILES_RUN)
		return;
	finding_instead(finding, "a run for which they do not do is refused");
	if (limit.rlim_max >= FILES_RUN)
		finding_mend(finding, "ulimit -n %u", 4 * FILES_RUN);
	else
		finding_mend(finding,
			     "as root: prlimit --pid $$ --nofile=%u; to stay: "
			     "nofile in /etc/security/limits.conf, LimitNOFILE= in "
			     "a unit",
			     4 * FILES_RUN);
}

/* So many that wait at once. */
static unsigned try_processes(unsigned most)
{
	pid_t pids[PROCESSES_TRIED];
	unsigned count = 0;
	int gate[2];
	char byte;

	if (pipe(gate) < 0)
		return most;
	while (count < most && (pids[count] = fork()) >= 0) {
		if (pids[count] == 0) {
			close(gate[1]);
			_exit(read(gate[0], &byte, 1) == 0 ? 0 : 1);
		}
		count++;
	}
	close(gate[1]);
	close(gate[0]);
	for (unsigned i = 0; i < count; i++)
		while (waitpid(pids[i], NULL, 0) < 0 && errno == EINTR)
			continue;
	return count;
}

/* How many more the cgroup takes; LONG_MAX: as many as there are. */
static long room_of(const char *cgroup)
{
	char path[1200];
	long most, current;

	snprintf(path, sizeof(path), "%s/pids.max", cgroup);
	most = doctor_read_number(path, -1);
	snprintf(path, sizeof(path), "%s/pids.current", cgroup);
	current = doctor_read_number(path, -1);
	return most < 0 || current < 0 ? LONG_MAX : most - current;
}

/* The fullest of ours and those above it into `cgroup`; of version 2, and of 1, where
 * that has the controller. */
static long find_fullest(const char *mount, const char *path, char *cgroup, size_t size)
{
	long least = LONG_MAX;
	char at[1100];
	size_t top = strlen(mount);

	snprintf(at, sizeof(at), "%s%s", mount, path);
	while (strlen(at) >= top) {
		long room = room_of(at);
		char *slash = strrchr(at, '/');

		if (room < least) {
			least = room;
			snprintf(cgroup, size, "%s", at);
		}
		*slash = '\0';
	}
	return least;
}

static long find_pids_limit(char *cgroup, size_t size)
{
	char text[4096], v1[300];
	long two = LONG_MAX, one = LONG_MAX;

	if (!doctor_read_text("/proc/self/cgroup", text, sizeof(text)))
		return LONG_MAX;
	for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
		char *path = strrchr(line, ':');

		if (!path)
			continue;
		if (strncmp(line, "0::", 3) == 0)
			two = find_fullest("/sys/fs/cgroup", path + 1, cgroup, size);
		else if (strstr(line, ":pids:"))
			one = find_fullest("/sys/fs/cgroup/pids", path + 1, v1,
					   sizeof(v1));
	}
	if (one < two)
		snprintf(cgroup, size, "%s", v1);
	return one < two ? one : two;
}

static void blame(struct finding *finding, unsigned count)
{
	struct rlimit limit = {0};
	char cgroup[300] = "";
	long room = find_pids_limit(cgroup, sizeof(cgroup));

	(void)getrlimit(RLIMIT_NPROC, &limit);
	/* Whoever has made it has chosen its name, and may want it in a shell of root's. */
	if (room <= (long)count && strchr(cgroup, '\'')) {
		finding_mend(finding, "pids.max of our cgroup is reached: raise it, or "
				      "TasksMax= of its systemd unit");
		return;
	}
	if (room <= (long)count) {
		finding_mend(finding,
			     "pids.max is reached: echo max >'%s/pids.max', "
			     "or TasksMax= of its systemd unit",
			     cgroup);
		return;
	}
	finding_mend(finding,
		     "RLIMIT_NPROC, %ju for all processes of this user, is reached: "
		     "ulimit -u %u; to stay: nproc in /etc/security/limits.conf, "
		     "LimitNPROC= in a unit",
		     (uintmax_t)limit.rlim_cur, 4096u);
}

void check_processes(struct doctor *doctor)
{
	struct finding *finding =
		doctor_add(doctor, "processes", "start %u at once", PROCESSES_TRIED);
	unsigned count = try_processes(PROCESSES_TRIED);

	if (count == PROCESSES_TRIED) {
		finding_is(finding, JAIL_PROBE_WORKS, "they can be");
		return;
	}
	finding_is(finding, count ? JAIL_PROBE_LESS : JAIL_PROBE_FAILS,
		   "only %u can be: %s", count, strerror(EAGAIN));
	finding_instead(finding, "%s",
			count ? "runs beyond so many at once are refused" : "");
	blame(finding, count);
}
