/* SPDX-License-Identifier: MIT */
/*
 * Processes and not threads: each waits for its own children, and what is left over after
 * a run is known to be that run's.
 */
#include "tests/race/crew.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/race/launch.h"

#define ORPHANS_WAIT_MS 5000

void *crew_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void crew_lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(lock, &attributes);
}

/* What is ignored here would be lost on a child that has not yet become a quod, as when
 * we were started in the background. */
static void heed_signals(void)
{
	for (int sig = 1; sig < SIGRTMIN; sig++)
		signal(sig, SIG_DFL);
}

static _Noreturn void be_worker(void (*work)(void *context), void *context)
{
	heed_signals();
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		_exit(1);
	work(context);
	_exit(0);
}

unsigned crew_run(unsigned workers, void (*work)(void *context), void *context)
{
	unsigned bad = 0;
	int status;

	for (unsigned i = 0; i < workers; i++) {
		pid_t pid = fork();
		if (pid == 0)
			be_worker(work, context);
		bad += pid < 0;
	}
	while (wait(&status) > 0)
		bad += status != 0;
	return bad;
}

/* Whatever is still there has been seen; nothing of a test stays on the machine. */
static void end_children(void)
{
	char path[64];
	int child;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	FILE *file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		kill(child, SIGKILL);
	if (file)
		fclose(file);
}

unsigned crew_orphans(bool *ret_left)
{
	uint64_t end_ns = launch_now_ns() + ORPHANS_WAIT_MS * NS_PER_MS;
	unsigned orphans = 0;
	pid_t pid = 0;

	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0 && launch_now_ns() < end_ns) {
		orphans += pid > 0;
		if (pid == 0)
			poll(NULL, 0, 1);
	}
	*ret_left = pid >= 0;
	if (*ret_left)
		end_children();
	return orphans;
}

int crew_ids_init(struct crew_ids *ids, size_t room)
{
	*ids = (struct crew_ids){.room = room};
	ids->list = crew_memory(room * sizeof(*ids->list));
	return ids->list ? 0 : -ENOMEM;
}

void crew_ids_add(struct crew_ids *ids, const char *id)
{
	if (ids->count < ids->room)
		memcpy(ids->list[ids->count++], id, RUN_ID_LEN);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

size_t crew_ids_doubles(struct crew_ids *ids)
{
	size_t doubles = 0;

	qsort(ids->list, ids->count, sizeof(*ids->list), by_text);
	for (size_t i = 1; i < ids->count; i++)
		doubles += strcmp(ids->list[i - 1], ids->list[i]) == 0;
	return doubles;
}
