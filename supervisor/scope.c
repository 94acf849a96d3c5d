/* SPDX-License-Identifier: MIT */
/*
 * quod-scope PID NAME: asks systemd for a transient scope with Delegate=yes that holds
 * process PID, and waits until PID is in it. Root asks the system's manager, anyone else
 * his own. Exit status 0, or one line on stdout that says why not.
 *
 * systemd moves whatever has that number where systemd is, and for root that may be any
 * process of the host. So PID must be our parent, we do not outlive it, and a pid
 * namespace with numbers of its own is found out before anything is asked for.
 *
 * A program of its own, so that quod itself is static and knows nothing of D-Bus.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"

/* A manager that is busy starting a session takes seconds. */
#define WAIT_US 15000000u

/* All waits together. Our parent waits a little longer. */
#define GIVE_UP_S 17

#define BROKER	    "org.freedesktop.DBus"
#define BROKER_PATH "/org/freedesktop/DBus"

#define BUS_NAME  "org.freedesktop.systemd1"
#define BUS_PATH  "/org/freedesktop/systemd1"
#define INTERFACE "org.freedesktop.systemd1.Manager"

/* The job that moves the process, and its end. */
struct job {
	const char *path; /* NULL: not known yet */
	bool ended, done;
};

static int fail(const char *what, const char *why)
{
	printf("%s: %s\n", what, why);
	return EXIT_FAILURE;
}

static void give_up(int sig)
{
	static const char text[] = "systemd does not answer\n";

	(void)sig;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_FAILURE);
	_exit(EXIT_FAILURE);
}

/* Set, then look whether it was too late. */
static bool is_parent(uint64_t pid)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	return (uint64_t)getppid() == pid;
}

static uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* cron, su and ssh without PAM leave the variable out; the place is where it always is.
 */
static void find_user_bus(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/run/user/%u", (unsigned)geteuid());
	setenv("XDG_RUNTIME_DIR", path, 0);
}

static int open_bus(sd_bus **ret_bus)
{
	if (geteuid() == 0)
		return sd_bus_open_system(ret_bus);
	find_user_bus();
	return sd_bus_open_user(ret_bus);
}

/* Does the other side know us by the number that we have here? -EXDEV: no. */
static int check_numbers(sd_bus *bus)
{
	sd_bus_message *reply = NULL;
	const char *us;
	uint32_t pid = 0;
	int r = sd_bus_get_unique_name(bus, &us);

	if (r >= 0)
		r = sd_bus_call_method(bus, BROKER, BROKER_PATH, BROKER,
				       "GetConnectionUnixProcessID", NULL, &reply, "s",
				       us);
	if (r >= 0)
		r = sd_bus_message_read(reply, "u", &pid);
	sd_bus_message_unref(reply);
	return r < 0 ? r : pid == (uint32_t)getpid() ? 0 : -EXDEV;
}

static int on_job_removed(sd_bus_message *message, void *data, sd_bus_error *error)
{
	struct job *job = data;
	const char *path, *unit, *result;
	uint32_t id;

	(void)error;
	if (sd_bus_message_read(message, "uoss", &id, &path, &unit, &result) < 0)
		return 0;
	if (job->path && strcmp(path, job->path) == 0) {
		job->ended = true;
		job->done = strcmp(result, "done") == 0;
	}
	return 0;
}

static int append_properties(sd_bus_message *call, uint32_t pid)
{
	int r = sd_bus_message_open_container(call, 'a', "(sv)");

	if (r >= 0)
		r = sd_bus_message_append(call, "(sv)(sv)(sv)(sv)", "Description", "s",
					  "quod: runs in jails", "Delegate", "b", 1,
					  "CollectMode", "s", "inactive-or-failed",
					  "PIDs", "au", 1, pid);
	return r < 0 ? r : sd_bus_message_close_container(call);
}

/* The match comes first: the job may be over before its number has reached us. */
static int start_scope(sd_bus *bus, uint32_t pid, const char *name, struct job *job,
		       sd_bus_message **ret_reply, sd_bus_error *error)
{
	sd_bus_message *call = NULL;
	int r = sd_bus_match_signal(bus, NULL, BUS_NAME, BUS_PATH, INTERFACE,
				    "JobRemoved", on_job_removed, job);

	if (r >= 0)
		r = sd_bus_message_new_method_call(bus, &call, BUS_NAME, BUS_PATH,
						   INTERFACE, "StartTransientUnit");
	if (r >= 0)
		r = sd_bus_message_append(call, "ss", name, "fail");
	if (r >= 0)
		r = append_properties(call, pid);
	if (r >= 0)
		r = sd_bus_message_append(call, "a(sa(sv))", 0);
	if (r >= 0)
		r = sd_bus_call(bus, call, WAIT_US, error, ret_reply);
	if (r >= 0)
		r = sd_bus_message_read(*ret_reply, "o", &job->path);
	sd_bus_message_unref(call);
	return r;
}

static int await_job(sd_bus *bus, const struct job *job)
{
	uint64_t end = now_us() + WAIT_US;

	while (!job->ended) {
		uint64_t now = now_us();
		int r = sd_bus_process(bus, NULL);

		if (r == 0)
			r = now < end ? sd_bus_wait(bus, end - now) : -ETIMEDOUT;
		if (r < 0)
			return r;
	}
	return job->done ? 0 : -ECANCELED;
}

static int make_scope(sd_bus *bus, uint32_t pid, const char *name)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	struct job job = {.path = NULL};
	int code = EXIT_SUCCESS;
	int r = start_scope(bus, pid, name, &job, &reply, &error);

	if (r < 0)
		code = fail("StartTransientUnit",
			    error.message ? error.message : strerror(-r));
	else if ((r = await_job(bus, &job)) < 0)
		code = fail("the scope was not started", strerror(-r));
	sd_bus_message_unref(reply);
	sd_bus_error_free(&error);
	return code;
}

int main(int argc, char **argv)
{
	sd_bus *bus = NULL;
	uint64_t pid;
	int r;

	/* What its caller left open is no concern of the bus. Where the call is refused
	 * no jail can be made either. */
	close_range(STDERR_FILENO + 1, ~0u, 0);
	if (argc != 3 || number_parse_u64(argv[1], 1, INT32_MAX, &pid))
		return fail("usage", "quod-scope PID NAME");
	signal(SIGALRM, give_up);
	alarm(GIVE_UP_S);
	if (!is_parent(pid))
		return fail("usage", "PID is not the process that started this one");
	r = open_bus(&bus);
	if (r < 0)
		return fail(geteuid() == 0 ? "no system bus"
					   : "no user bus (is the user "
					     "logged in, or lingering: "
					     "loginctl enable-linger)",
			    strerror(-r));
	r = check_numbers(bus);
	if (r == 0)
		r = make_scope(bus, (uint32_t)pid, argv[2]);
	else if (r == -EXDEV)
		r = fail("another pid namespace",
			 "systemd does not see quod by the number that it has here");
	else
		r = fail("the bus does not say who we are", strerror(-r));
	sd_bus_flush_close_unref(bus);
	return r;
}
