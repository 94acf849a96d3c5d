/* SPDX-License-Identifier: MIT */
/*
 * The start of quodd, in the process that becomes the monitor: options, what has to be
 * opened, the server, the loop.
 *
 * The server is started last, when the cgroup is settled, because a second process would
 * be in the way of that.
 */
#include "daemon/quodd.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/number.h"
#include "base/own.h"
#include "daemon/config.h"
#include "daemon/listen.h"
#include "daemon/log.h"
#include "daemon/monitor.h"
#include "daemon/option_table.h"
#include "daemon/places.h"
#include "daemon/shares.h"
#include "daemon/start.h"
#include "daemon/state.h"

struct quodd_args {
	const char *config, *socket, *state, *runs, *pool, *server_user;
	bool user, tcp_anywhere, test, help, version;
};

#define OPTIONS_INTO struct quodd_args
static const struct option options[] = {QUODD_OPTIONS(OPTION_ROW)};

struct quodd {
	struct roster *roster; /* owned */
	struct config_options options;
	uid_t uid;
	gid_t gid;
	bool no_user;		    /* of the server's own: it is to be nobody */
	struct text socket, state;  /* paths; empty: none */
	struct listeners listeners; /* owned */
	int state_fd, history_fd;   /* owned */
	struct interp interp;
	struct run_place place;
	struct jail_template *template; /* owned */
	const char *server;		/* its program; NULL: the installed one */
};

static int print(struct text *text)
{
	int r = text_status(text);

	if (r == 0)
		r = file_write_all(STDOUT_FILENO, text_str(text), text->len);
	return r < 0 ? 1 : 0;
}

static int print_help(void)
{
	own_text struct text text = TEXT_INIT(8192);

	text_add_str(&text, "usage: quodd [OPTION...]\n"
			    "runs scripts for tenants, over HTTP; see quodd(8)\n\n");
	options_help(options, ARRAY_LEN(options), &text);
	return print(&text);
}

static int print_version(void)
{
	own_text struct text text = TEXT_INIT(256);

	text_add_str(&text, "quodd " PACKAGE_VERSION "\nconfiguration  " CONFIG_DIR "\n");
	return print(&text);
}

/* Only root can choose. The user quod is there where a package has made it. */
static int find_user(const char *wanted, struct quodd *q, struct usage *usage)
{
	const struct passwd *found;

	if (geteuid() != 0)
		return wanted ? usage_fail(usage, -EPERM, "--server-user is for root")
			      : 0;
	found = getpwnam(wanted ? wanted : "quod");
	q->no_user = !found && !wanted;
	if (q->no_user)
		found = getpwnam("nobody");
	if (!found)
		return usage_fail(usage, -ENOENT, "there is no user '%.100s'",
				  wanted ? wanted : "nobody");
	if (found->pw_uid == 0)
		return usage_fail(usage, -EINVAL, "--server-user '%.100s': not root",
				  wanted);
	q->uid = found->pw_uid;
	q->gid = found->pw_gid;
	return 0;
}

/* In the place of a setting; NULL: the configuration has it. */
static int take_setting(const char *option, const char *text, enum setting_id id,
			struct config_options *said, struct usage *usage)
{
	const struct term_info *info = &setting_infos[id];
	enum number_error e;

	if (!text)
		return 0;
	e = number_parse_u64(text, info->least, info->most, &said->settings.value[id]);
	said->given[id] = true;
	return e ? usage_fail(usage, -EINVAL, "--%s '%.100s' %s", option, text,
			      number_error_text(e))
		 : 0;
}

static int take_args(const struct quodd_args *args, struct quodd *q, struct usage *usage)
{
	int r = take_setting("runs", args->runs, SETTING_RUNS, &q->options, usage);

	if (r == 0)
		r = take_setting("pool", args->pool, SETTING_POOL_MOST, &q->options,
				 usage);
	return r < 0 ? r : find_user(args->server_user, q, usage);
}

/* A jail has a dozen of them; what the host allows is taken. */
static void raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
}

static void say_fault(void *context, const struct policy_fault *fault)
{
	struct usage *usage = context;
	char text[sizeof(usage->text)];

	report_spell(fault, text, sizeof(text));
	if (usage->text[0])
		log_say("%s", usage->text);
	memcpy(usage->text, text, sizeof(text));
}

/* All that is wrong is told, the last of it where the caller tells what has failed. */
static int load(const struct quodd_args *args, struct quodd *q, struct usage *usage)
{
	struct policy_report report = {
		.say = say_fault, .context = usage, .faults_only = true};

	usage->text[0] = '\0';
	return config_load(args->config, &q->options, &report, &q->roster);
}

static int prepare_process(const struct quodd *q, struct usage *usage)
{
	struct jail_error err;
	sigset_t ours;
	int r = jail_close_inherited(q->listeners.fds, q->listeners.count, &err);

	if (r < 0)
		return usage_fail(usage, r, "cannot close what was left open: %s",
				  err.text);
	sigemptyset(&ours);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGHUP);
	sigprocmask(SIG_BLOCK, &ours, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	raise_files();
	return 0;
}

/* Where systemd has passed sockets there is no other, unless it was asked for. */
static int choose_places(const struct quodd_args *args, struct quodd *q,
			 struct usage *usage)
{
	int r = 0;

	if (args->socket)
		text_add_str(&q->socket, args->socket);
	else if (q->listeners.count == 0)
		r = places_choose_socket(args->user, &q->socket, usage);
	if (r == 0 && args->state)
		text_add_str(&q->state, args->state);
	else if (r == 0 && args->user)
		r = places_choose_state(&q->state, usage);
	return r;
}

static int bind_socket(const struct quodd_args *args, struct quodd *q,
		       struct usage *usage)
{
	struct listeners *listeners = &q->listeners;
	int r;

	if (!q->socket.len)
		return 0;
	if (listeners->count == LISTENERS_MOST)
		return usage_fail(usage, -E2BIG,
				  "--socket: systemd has passed %u already",
				  LISTENERS_MOST);
	r = listen_unix(text_str(&q->socket), args->config != NULL,
			&listeners->fds[listeners->count], usage);
	listeners->count += r == 0;
	return r;
}

/* A user who has gone took the right to the history along. */
static int open_history(struct quodd *q, struct usage *usage)
{
	int r = state_open_history(text_str(&q->state), q->uid, q->gid, &q->history_fd,
				   usage);
	struct usage what = *usage;

	if (r != -EPERM || !q->no_user)
		return r;
	return usage_fail(usage, r,
			  "there is no user 'quod': make it (systemd-sysusers), else the "
			  "server is 'nobody', and %s",
			  what.text);
}

/* Where there can be none each jail makes a root of its own: it takes longer, and is as
 * empty. */
static void open_template(struct quodd *q)
{
	struct jail_error err;
	int r = jail_template_make(&q->template, &err);

	if (r < 0 && r != -EPERM)
		log_say("jails take longer to make: %s", err.text);
	q->place.template = q->template;
}

static int open_all(const struct quodd_args *args, struct quodd *q, struct usage *usage)
{
	const struct place_request where = {0};
	struct jail_error err;
	int r = choose_places(args, q, usage);

	if (r == 0 && q->state.len)
		r = state_lock(text_str(&q->state), &q->state_fd, usage);
	if (r == 0 && q->state.len)
		r = open_history(q, usage);
	if (r < 0)
		return r;
	interp_open(&q->interp);
	if (q->interp.fd < 0)
		return usage_fail(usage, -q->interp.errnum, "%s", q->interp.why);
	place_open(&where, &q->place);
	if (shares_check(&q->place, q->roster, &err) < 0)
		return usage_fail(usage, -EOPNOTSUPP, "%s", err.text);
	open_template(q);
	return bind_socket(args, q, usage);
}

/* What the server has been given is not for the monitor. */
static int start(struct quodd *q, struct started *ret_started, struct usage *usage)
{
	const struct start start = {.program = q->server,
				    .roster = q->roster,
				    .uid = q->uid,
				    .gid = q->gid,
				    .listeners = &q->listeners,
				    .history_fd = q->history_fd,
				    .journal_fd = log_new_journal()};
	int r = start_server(&start, ret_started, usage);

	close_fd(start.journal_fd);
	q->history_fd = close_fd(q->history_fd);
	listeners_close(&q->listeners);
	return r;
}

static int serve(const struct quodd_args *args, struct quodd *q, struct usage *usage)
{
	struct started started;
	int r = start(q, &started, usage);

	if (r < 0)
		return r;
	r = monitor_run(&(struct monitor_setup){.interp = &q->interp,
						.place = &q->place,
						.orders_fd = started.orders_fd,
						.server = started.pid,
						.roster = q->roster,
						.config_dir = args->config,
						.options = &q->options});
	close_fd(started.orders_fd);
	return r;
}

static int run(const struct quodd_args *args, struct quodd *q, struct usage *usage)
{
	int r = take_args(args, q, usage);

	if (r == 0)
		r = listeners_inherit(args->tcp_anywhere, &q->listeners, usage);
	if (r == 0)
		r = prepare_process(q, usage);
	if (r == 0)
		r = load(args, q, usage);
	if (r < 0 || args->test)
		return r;
	r = open_all(args, q, usage);
	if (r < 0)
		return r;
	r = serve(args, q, usage);
	/* Only here it is surely ours. */
	if (q->socket.len)
		unlink(text_str(&q->socket));
	return r;
}

int quodd_main(int argc, char **argv, const char *server)
{
	struct quodd q = {.socket = TEXT_INIT(4096),
			  .state = TEXT_INIT(4096),
			  .state_fd = -1,
			  .history_fd = -1,
			  .interp = INTERP_INIT,
			  .place = {.fd = -1},
			  .server = server};
	struct quodd_args args = {0};
	struct usage usage;
	int rest = 0;
	int r = file_open_std_fds();

	if (r < 0)
		return 1;
	log_find_stream();
	r = options_parse(options, ARRAY_LEN(options), false, argc - 1, argv + 1, &args,
			  &rest, &usage);
	if (r == 0 && (args.help || args.version))
		return args.help ? print_help() : print_version();
	if (r == 0 && rest)
		r = usage_fail(&usage, -EINVAL, "'%.100s' is no option", argv[1]);
	if (r == 0)
		r = run(&args, &q, &usage);
	if (r < 0)
		log_say("%s", usage.text);
	roster_unref(q.roster);
	interp_close(&q.interp);
	place_close(&q.place);
	jail_template_free(q.template);
	close_fd(q.state_fd);
	close_fd(q.history_fd);
	listeners_close(&q.listeners);
	text_free(&q.socket);
	text_free(&q.state);
	return r < 0 ? QUODD_EXIT_CONFIGURATION : r;
}
