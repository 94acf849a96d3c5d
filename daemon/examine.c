/* SPDX-License-Identifier: MIT */
/*
 * The child shares what the monitor has open at its fork, pipes of jails among it: it
 * closes all of that before it does anything else, and dies with the monitor. What it
 * writes goes to a memory file, which is sealed once it has ended.
 */
#include "daemon/examine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/log.h"

/* Some 10 ms are usual; a host that is busy takes a thousand times as long. */
#define LATE_US 10000000u
/* So long the end of the monitor waits for it. */
#define END_MS 1000

static _Noreturn void child_main(int rows_fd, pid_t monitor)
{
	struct doctor doctor = {.purpose = DOCTOR_QUODD, .is_daemon = true};
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != monitor || jail_close_inherited(&rows_fd, 1, NULL) < 0)
		_exit(1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGCHLD, SIG_DFL);
	doctor_examine(&doctor);
	_exit(findings_write(rows_fd, doctor.findings, doctor.count) < 0);
}

static void forget(struct examine *examine)
{
	examine->on_end = sd_event_source_disable_unref(examine->on_end);
	examine->on_late = sd_event_source_disable_unref(examine->on_late);
	examine->pid_fd = close_fd(examine->pid_fd);
	examine->rows_fd = close_fd(examine->rows_fd);
}

static int seal(int fd)
{
	return lseek(fd, 0, SEEK_SET) < 0 || fcntl(fd, F_ADD_SEALS,
						   F_SEAL_SHRINK | F_SEAL_GROW |
							   F_SEAL_WRITE | F_SEAL_SEAL) < 0
		       ? -errno
		       : 0;
}

static int on_end(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct examine *examine = userdata;
	siginfo_t info = {.si_pid = 0};

	(void)source;
	(void)fd;
	(void)events;
	if (waitid(P_PID, (id_t)examine->pid, &info, WEXITED | WNOHANG) < 0 ||
	    info.si_pid == 0)
		return 0;
	if (info.si_code == CLD_EXITED && info.si_status == 0 &&
	    seal(examine->rows_fd) == 0)
		examine->done(examine->whose, examine->rows_fd);
	else
		log_say("the host's checks have ended without an answer");
	forget(examine);
	if (examine->again)
		examine_begin(examine);
	return 0;
}

static int on_late(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct examine *examine = userdata;

	(void)source;
	(void)usec;
	log_say("the host's checks do not end: they are ended");
	syscall(SYS_pidfd_send_signal, examine->pid_fd, SIGKILL, NULL, 0);
	return 0;
}

/* It may end by itself first: the processes that it has tried to make are its to reap. */
static void end_child(struct examine *examine)
{
	struct pollfd slot = {.fd = examine->pid_fd, .events = POLLIN};

	if (slot.fd < 0 || poll(&slot, 1, END_MS) != 1)
		kill(examine->pid, SIGKILL);
	while (waitpid(examine->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

static int watch(struct examine *examine)
{
	int r;

	examine->pid_fd = (int)syscall(SYS_pidfd_open, examine->pid, 0);
	if (examine->pid_fd < 0)
		return -errno;
	r = sd_event_add_io(examine->event, &examine->on_end, examine->pid_fd, EPOLLIN,
			    on_end, examine);
	return r < 0 ? r
		     : sd_event_add_time_relative(examine->event, &examine->on_late,
						  CLOCK_MONOTONIC, LATE_US, 0, on_late,
						  examine);
}

static int start(struct examine *examine)
{
	pid_t monitor = getpid();
	int r;

	examine->rows_fd =
		memfd_create("quodd-findings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (examine->rows_fd < 0)
		return -errno;
	examine->pid = fork();
	if (examine->pid == 0)
		child_main(examine->rows_fd, monitor);
	if (examine->pid < 0)
		return -errno;
	r = watch(examine);
	if (r < 0)
		end_child(examine);
	return r;
}

void examine_init(struct examine *examine, sd_event *event,
		  void (*done)(void *whose, int fd), void *whose)
{
	*examine = (struct examine){.event = event,
				    .done = done,
				    .whose = whose,
				    .pid_fd = -1,
				    .rows_fd = -1};
}

void examine_begin(struct examine *examine)
{
	int r;

	examine->again = examine->pid_fd >= 0;
	if (examine->again)
		return;
	r = start(examine);
	if (r >= 0)
		return;
	log_say("the host cannot be checked: %s", strerror(-r));
	forget(examine);
}

void examine_free(struct examine *examine)
{
	if (!examine->event)
		return;
	if (examine->pid_fd >= 0)
		end_child(examine);
	forget(examine);
}
