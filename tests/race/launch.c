/* SPDX-License-Identifier: MIT */
/*
 * One loop over both outputs, the end of the process and the moment of the blow. A reader
 * that goes takes what there is first, so that what it has seen is known to have been
 * written before.
 */
#include "tests/race/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"

#define OUTPUT_MOST (8u << 20)
#define HANG_NS	    (60 * NS_PER_S)

enum { SLOT_OUT, SLOT_ERR, SLOT_END, SLOTS };

struct watch {
	const struct launch *launch;
	struct launched *launched;
	struct pollfd slots[SLOTS];
	uint64_t blow_ns; /* 0: not known yet, or struck */
};

uint64_t launch_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Signals that whoever started us ignores would be ignored by quod too. */
static void become_quod(const struct launch *launch, int out, int err)
{
	struct rlimit cpu = {launch->cpu_seconds, launch->cpu_seconds};
	sigset_t none;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	for (int sig = 1; sig < SIGRTMIN; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (launch->cpu_seconds && setrlimit(RLIMIT_CPU, &cpu) < 0)
		_exit(97);
	if (launch->interpreter)
		setenv("QUOD_JS", launch->interpreter, 1);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execv(launch->argv[0], launch->argv);
	_exit(98);
}

static int make_pipe(int *ret_read, int *ret_write)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	fcntl(ends[0], F_SETFL, O_NONBLOCK); /* our end alone */
	*ret_read = ends[0];
	*ret_write = ends[1];
	return 0;
}

static int start(struct watch *watch, pid_t *ret_pid)
{
	own_fd int out = -1, err = -1, to_out = -1, to_err = -1;
	int r = make_pipe(&out, &to_out);

	if (r == 0)
		r = make_pipe(&err, &to_err);
	if (r < 0)
		return r;
	watch->launched->start_ns = launch_now_ns();
	pid_t pid = fork();
	if (pid == 0)
		become_quod(watch->launch, to_out, to_err);
	int pidfd = pid < 0 ? -1 : pidfd_open(pid, 0);
	if (pidfd < 0)
		return -errno;
	watch->slots[SLOT_OUT] = (struct pollfd){TAKE_FD(out), POLLIN, 0};
	watch->slots[SLOT_ERR] = (struct pollfd){TAKE_FD(err), POLLIN, 0};
	watch->slots[SLOT_END] = (struct pollfd){pidfd, POLLIN, 0};
	*ret_pid = pid;
	return 0;
}

static void close_slot(struct watch *watch, int slot)
{
	watch->slots[slot].fd = close_fd(watch->slots[slot].fd);
}

/* Everything that is there; closes at the end of file. */
static void take(struct watch *watch, int slot, struct text *to)
{
	char bytes[16384];
	ssize_t n = 1;

	while (watch->slots[slot].fd >= 0 && n > 0) {
		n = read(watch->slots[slot].fd, bytes, sizeof(bytes));
		if (n > 0)
			text_add(to, bytes, (size_t)n);
		else if (n == 0)
			close_slot(watch, slot);
	}
}

static void take_out(struct watch *watch)
{
	struct launched *launched = watch->launched;
	const struct launch *launch = watch->launch;
	size_t before = launched->out.len;

	take(watch, SLOT_OUT, &launched->out);
	if (launched->out.len == before)
		return;
	uint64_t now = launch_now_ns();
	if (!launched->first_ns) {
		launched->first_ns = now;
		if (launch->blow != BLOW_NONE && launch->from_first_byte)
			watch->blow_ns = now + launch->delay_ns;
	}
	if (launch->heard)
		launch->heard(launch->context, &launched->out, now);
}

static void strike(struct watch *watch)
{
	struct pollfd *out = &watch->slots[SLOT_OUT];

	watch->blow_ns = 0;
	if (watch->launch->blow == BLOW_CLOSE) {
		take_out(watch);
		watch->launched->blown = out->fd >= 0;
		close_slot(watch, SLOT_OUT);
	} else {
		watch->launched->blown =
			pidfd_send_signal(watch->slots[SLOT_END].fd,
					  watch->launch->signal, NULL, 0) == 0;
	}
}

static void see_end(struct watch *watch, pid_t pid)
{
	waitpid(pid, &watch->launched->status, 0);
	watch->launched->end_ns = launch_now_ns();
	watch->blow_ns = 0;
	close_slot(watch, SLOT_END);
}

/* Until something happens, or the next moment that we have to act at. */
static void wait_some(struct watch *watch, uint64_t hang_ns)
{
	uint64_t until = watch->blow_ns ? watch->blow_ns : hang_ns;
	uint64_t now = launch_now_ns();
	uint64_t left = until > now ? until - now : 0;
	struct timespec timeout = {(time_t)(left / NS_PER_S), (long)(left % NS_PER_S)};

	for (int i = 0; i < SLOTS; i++)
		watch->slots[i].revents = 0;
	ppoll(watch->slots, SLOTS, &timeout, NULL);
}

static void see_through(struct watch *watch, pid_t pid)
{
	struct pollfd *slots = watch->slots;
	uint64_t hang_ns = watch->launched->start_ns + HANG_NS;

	while (slots[SLOT_OUT].fd >= 0 || slots[SLOT_ERR].fd >= 0 ||
	       slots[SLOT_END].fd >= 0) {
		wait_some(watch, hang_ns);
		if (watch->blow_ns && launch_now_ns() >= watch->blow_ns)
			strike(watch);
		if (slots[SLOT_OUT].revents)
			take_out(watch);
		if (slots[SLOT_ERR].revents)
			take(watch, SLOT_ERR, &watch->launched->err);
		if (slots[SLOT_END].revents)
			see_end(watch, pid);
		if (!watch->launched->hung && launch_now_ns() >= hang_ns) {
			watch->launched->hung = true;
			kill(pid, SIGKILL);
		}
	}
}

int launch_run(const struct launch *launch, struct launched *ret)
{
	struct watch watch = {.launch = launch, .launched = ret};
	pid_t pid = -1;

	*ret = (struct launched){.out = TEXT_INIT(OUTPUT_MOST),
				 .err = TEXT_INIT(OUTPUT_MOST)};
	int r = start(&watch, &pid);
	if (r < 0)
		return r;
	if (launch->blow != BLOW_NONE && !launch->from_first_byte)
		watch.blow_ns = ret->start_ns + launch->delay_ns;
	see_through(&watch, pid);
	return 0;
}

void launched_free(struct launched *launched)
{
	text_free(&launched->out);
	text_free(&launched->err);
}

int launched_code(const struct launched *launched)
{
	int status = launched->status;

	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
