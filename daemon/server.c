/* SPDX-License-Identifier: MIT */
/*
 * Everything that has to be opened or made is made first, then the process leaves the
 * host's root and its privileges, then the history is opened by whom it is now, then the
 * filter is put on, and only then it waits for
 * somebody to talk to.
 */
#include "daemon/server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/confined.h"
#include "daemon/job.h"
#include "daemon/log.h"

#define US_PER_MS     1000u
#define KEEP_FIRST_US 100000u

static int keep_from_exec(int fd)
{
	return fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 ? -errno : 0;
}

/* They were made by the monitor, without that flag for their way through exec. */
static int take_descriptors(const uint32_t args[SERVER_ARGS])
{
	int r = keep_from_exec(SERVER_ORDERS_FD);

	if (r == 0)
		r = keep_from_exec(SERVER_ROSTER_FD);
	if (r == 0 && args[SERVER_ARG_HISTORY])
		r = keep_from_exec(SERVER_HISTORY_FD);
	if (r == 0 && args[SERVER_ARG_JOURNAL]) {
		r = keep_from_exec(SERVER_JOURNAL_FD);
		log_to_stream();
	}
	for (int i = 0; r == 0 && i < (int)args[SERVER_ARG_LISTENERS]; i++)
		r = keep_from_exec(SERVER_LISTEN_FD + i);
	return r;
}

static int read_args(int argc, char **argv, uint32_t args[SERVER_ARGS])
{
	if (argc != SERVER_ARGS)
		return -EINVAL;
	for (int i = 1; i < argc; i++)
		if (number_parse_u32(argv[i], 0, UINT32_MAX - 1, &args[i]) != NUMBER_OK)
			return -EINVAL;
	return args[SERVER_ARG_LISTENERS] <= LISTENERS_MOST ? 0 : -EINVAL;
}

void server_leave_if_done(struct server *server)
{
	if (server->stopping && http_is_done(&server->http))
		sd_event_exit(server->event, 0);
}

static void on_stop(void *whose)
{
	struct server *server = whose;

	server->stopping = true;
	pool_flush(&server->pool);
	ready_lacks(&server->ready, READY_SERVICE,
		    "ask again when it has been started anew", "the daemon is stopping");
	http_stop_listening(&server->http);
	server_leave_if_done(server);
}

static struct store_settings history_settings(const struct server *server)
{
	const uint64_t *value = server->tenants.roster->settings.value;
	struct store_settings settings = STORE_SETTINGS_DEFAULT;

	settings.age_most_ms = (int64_t)value[SETTING_HISTORY_AGE_MS];
	settings.size_most_bytes = value[SETTING_HISTORY_BYTES];
	return settings;
}

/* The monitor has seen that it is right; what fails here is us. */
static void on_roster(void *whose, int fd)
{
	struct server *server = whose;
	struct store_settings settings;
	struct roster *roster;
	uint32_t generation;
	int r = roster_receive(fd, &roster);

	close_fd(fd);
	if (r == 0) {
		generation = roster->generation;
		r = tenants_adopt(&server->tenants, roster);
	}
	if (r == 0) {
		settings = history_settings(server);
		store_configure(server->store, &settings);
		r = keeper_adopt(&server->keeper, generation);
	}
	if (r < 0) {
		log_say("the new configuration cannot be had: %s", strerror(-r));
		sd_event_exit(server->event, r);
		return;
	}
	http_adopt(&server->http);
	pool_adopt(&server->pool, server->tenants.roster, server->http.files_most,
		   server->http.files_spare);
	ready_adopt(&server->ready);
	tenants_dispatch(&server->tenants);
}

static int take_first_roster(struct server *server)
{
	struct roster *roster;
	int r = roster_receive(SERVER_ROSTER_FD, &roster);

	close_fd(SERVER_ROSTER_FD);
	if (r == 0)
		r = tenants_adopt(&server->tenants, roster);
	server->tenants.start = job_start_waiting;
	return r;
}

static int on_first(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	(void)userdata;
	return 0;
}

static void on_state(void *whose, unsigned jails, unsigned leaves_left)
{
	struct server *server = whose;

	server->metrics.jails = jails;
	server->metrics.leaves_left = leaves_left;
}

static void on_findings(void *whose, int fd)
{
	struct server *server = whose;

	ready_take_findings(&server->ready, fd);
	close_fd(fd);
}

/* The first sleep of an event loop makes a timer and reads a file, libc's first calendar
 * reads the time zone: that has to be behind us. Nobody's bytes can be waiting yet, for
 * nothing else is watched. */
static int warm_up(sd_event *event)
{
	sd_event_source *first = NULL;
	int r = sd_event_add_time_relative(event, &first, CLOCK_MONOTONIC, 0, 1000,
					   on_first, NULL);

	tzset();
	if (r >= 0)
		r = sd_event_run(event, UINT64_MAX);
	sd_event_source_disable_unref(first);
	return r;
}

static int prepare(struct server *server, const uint32_t args[SERVER_ARGS])
{
	int r = take_descriptors(args);

	if (r == 0)
		r = take_first_roster(server);
	if (r == 0)
		r = sd_event_new(&server->event);
	if (r >= 0)
		r = warm_up(server->event);
	if (r >= 0)
		r = keeper_init(&server->keeper, server->event, SERVER_ORDERS_FD);
	if (r < 0)
		return r;
	server->keeper.stop = on_stop;
	server->keeper.roster = on_roster;
	server->keeper.state = on_state;
	server->keeper.findings = on_findings;
	server->keeper.whose = server;
	server->interp = (struct interp)INTERP_INIT;
	server->interp.path = "quod-js";
	r = http_init(&server->http, server, SERVER_LISTEN_FD,
		      args[SERVER_ARG_LISTENERS]);
	if (r == 0)
		r = pool_init(&server->pool, server->event, &server->keeper,
			      &server->tenants.running);
	if (r == 0)
		pool_adopt(&server->pool, server->tenants.roster, server->http.files_most,
			   server->http.files_spare);
	return r;
}

static int on_keep(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct server *server = userdata;

	(void)usec;
	sd_event_source_set_time_relative(source, store_keep(server->store) * US_PER_MS);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

/* By the user that the server has become, who is all that reads that file, and while
 * files can still be opened. */
static int open_history(struct server *server, bool on_disk)
{
	const struct store_settings settings = history_settings(server);
	char why[STORE_WHY_ROOM];
	int r;

	if (on_disk)
		close(SERVER_HISTORY_FD);
	else
		log_say("the history is in memory and ends with the daemon: --state "
			"keeps it");
	r = store_open(on_disk ? "/" SERVER_HISTORY_NAME : NULL, &settings,
		       &server->store, why);
	if (r < 0) {
		log_say("%s", why);
		return r;
	}
	return sd_event_add_time_relative(server->event, &server->on_keep,
					  CLOCK_MONOTONIC, KEEP_FIRST_US, 0, on_keep,
					  server);
}

static int confine(struct server *server, const uint32_t args[SERVER_ARGS])
{
	struct jail_error err;
	bool history = args[SERVER_ARG_HISTORY] != 0;
	int r = server_leave(history ? SERVER_HISTORY_FD : -1, args[SERVER_ARG_UID],
			     args[SERVER_ARG_GID], &server->seen, &err);

	if (r == 0) {
		r = open_history(server, history);
		if (r < 0)
			return r;
		r = server_seal(&err);
	}
	if (r < 0)
		log_say("the server cannot confine itself and will not listen: %s: %s",
			jail_stage_name(err.stage), err.text);
	return r;
}

/* Signals are for the monitor, which tells us; a terminal sends them to us as well. */
static void ignore_signals(void)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};

	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
}

static int work(struct server *server)
{
	int r = ready_begin(&server->ready, server), code;

	if (r == 0 && sd_event_get_exit_code(server->event, &code) >= 0)
		return code;
	if (r == 0)
		r = http_listen(&server->http);
	/* The first sign of life says that clients are served. */
	if (r >= 0)
		r = keeper_say_alive(&server->keeper, 0);
	return r < 0 ? r : sd_event_loop(server->event);
}

static int serve(struct server *server, const uint32_t args[SERVER_ARGS])
{
	int r;

	server->owner = getuid();
	metrics_init(&server->metrics);
	server->group = getgid();
	r = prepare(server, args);
	if (r < 0) {
		log_say("the server cannot begin: %s%s", strerror(-r),
			r == -EMFILE ? " (raise the limit on open files: ulimit -n)"
				     : "");
		return r;
	}
	r = confine(server, args);
	if (r == 0 && args[SERVER_ARG_JOURNAL])
		log_to_journal(SERVER_JOURNAL_FD);
	if (r == 0)
		r = work(server);
	ready_free(&server->ready);
	http_free(&server->http);
	pool_free(&server->pool);
	keeper_free(&server->keeper);
	metrics_free(&server->metrics);
	tenants_free(&server->tenants);
	sd_event_source_disable_unref(server->on_keep);
	store_free(server->store);
	sd_event_unref(server->event);
	return r;
}

int main(int argc, char **argv)
{
	struct server server = {.stopping = false};
	uint32_t args[SERVER_ARGS];
	int r = read_args(argc, argv, args);

	log_name("server");
	prctl(PR_SET_NAME, SERVER_NAME, 0, 0, 0);
	ignore_signals();
	if (r == 0)
		r = serve(&server, args);
	if (r == -EPROTONOSUPPORT)
		return SERVER_EXIT_FOR_GOOD;
	return r < 0 ? 1 : 0;
}
