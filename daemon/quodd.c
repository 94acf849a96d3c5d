/* SPDX-License-Identifier: MIT */
/*
 * The start of quodd, in the process that becomes the monitor: options, what has to be
 * opened, the server, the loop.
 *
 * The server is this program once more, by exec and not by fork alone: it shares neither
 * memory nor its layout with the monitor. It is started last, when the cgroup is settled,
 * because a second process would be in the way of that.
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
#include "daemon/server.h"
#include "daemon/shares.h"
#include "daemon/state.h"

#define EXIT_CONFIGURATION 2

struct quodd_args {
	const char *config, *socket, *state, *runs, *pool, *user;
	bool test, help, version;
};

#define OFFSET(member) offsetof(struct quodd_args, member)

static const struct option options[] = {
	{0, "config", "DIR", "quodd.conf, tenants.d and policies are there (none)",
	 OFFSET(config)},
	{0, "socket", "PATH", "listens there; only its owner may connect",
	 OFFSET(socket)},
	{0, "state", "DIR", "a directory of its own, where the history is",
	 OFFSET(state)},
	{0, "runs", "N", "so many at once, whatever quodd.conf says, 1 to 512 (16)",
	 OFFSET(runs)},
	{0, "pool", "N",
	 "so many warm jails at most of a tenant and policy, 0 to 512 (16; 0: none)",
	 OFFSET(pool)},
	{0, "user", "NAME",
	 "whom the server becomes when root starts it (quod, or nobody)", OFFSET(user)},
	{0, "test", NULL, "says what is wrong with the configuration, and nothing else",
	 OFFSET(test)},
	{'h', "help", NULL, "shows this", OFFSET(help)},
	{'V', "version", NULL, "shows the version", OFFSET(version)},
};

struct quodd {
	struct roster *roster; /* owned */
	struct config_options options;
	uid_t uid;
	gid_t gid;
	int state_fd, history_fd, listen_fd, orders_fd; /* owned */
	struct interp interp;
	struct run_place place;
	pid_t server;
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

	text_add_str(&text, "usage: quodd --socket PATH [OPTION...]\n"
			    "runs scripts for the user who starts it; see quodd(8)\n\n");
	options_help(options, ARRAY_LEN(options), &text);
	return print(&text);
}

static int print_version(void)
{
	own_text struct text text = TEXT_INIT(256);

	text_add_str(&text, "quodd " PACKAGE_VERSION "\n");
	return print(&text);
}

/* Only root can choose. The user quod is there where a package has made it. */
static int find_user(const char *wanted, struct quodd *q, struct usage *usage)
{
	const struct passwd *found;

	if (geteuid() != 0)
		return wanted ? usage_fail(usage, -EPERM, "--user is for root") : 0;
	found = getpwnam(wanted ? wanted : "quod");
	if (!found && !wanted)
		found = getpwnam("nobody");
	if (!found)
		return usage_fail(usage, -ENOENT, "there is no user '%.100s'",
				  wanted ? wanted : "nobody");
	if (found->pw_uid == 0)
		return usage_fail(usage, -EINVAL, "--user '%.100s': not root", wanted);
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
	int r;

	if (!args->socket && !args->test)
		return usage_fail(usage, -EINVAL, "--socket PATH is missing");
	r = take_setting("runs", args->runs, SETTING_RUNS, &q->options, usage);
	if (r == 0)
		r = take_setting("pool", args->pool, SETTING_POOL_MOST, &q->options,
				 usage);
	return r < 0 ? r : find_user(args->user, q, usage);
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

static int prepare_process(struct usage *usage)
{
	struct jail_error err;
	sigset_t ours;
	int r = jail_close_inherited(NULL, 0, &err);

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

static int open_all(const struct quodd_args *args, struct quodd *q, struct usage *usage)
{
	const struct place_request where = {0};
	struct jail_error err;
	int r = args->state ? state_lock(args->state, &q->state_fd, usage) : 0;

	if (r == 0 && args->state)
		r = state_open_history(args->state, q->uid, q->gid, &q->history_fd,
				       usage);
	if (r < 0)
		return r;
	interp_open(&q->interp);
	if (q->interp.fd < 0)
		return usage_fail(usage, -q->interp.errnum, "%s", q->interp.why);
	place_open(&where, &q->place);
	if (shares_check(&q->place, q->roster, &err) < 0)
		return usage_fail(usage, -EOPNOTSUPP, "%s", err.text);
	return listen_unix(args->socket, args->config != NULL, &q->listen_fd, usage);
}

static void exec_server(const struct quodd *q, int orders, int listener, int roster,
			int history, int self)
{
	char uid[16], gid[16], has_history[2], name[] = SERVER_NAME;
	char *argv[] = {name, uid, gid, has_history, NULL}, *envp[] = {NULL};
	sigset_t none;

	snprintf(uid, sizeof(uid), "%u", q->uid);
	snprintf(gid, sizeof(gid), "%u", q->gid);
	snprintf(has_history, sizeof(has_history), "%d", history >= 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(orders, SERVER_ORDERS_FD) < 0 || dup2(listener, SERVER_LISTEN_FD) < 0 ||
	    dup2(roster, SERVER_ROSTER_FD) < 0)
		_exit(126);
	if (history >= 0 && dup2(history, SERVER_HISTORY_FD) < 0)
		_exit(126);
	fexecve(self, argv, envp);
	_exit(127);
}

/* Above those that the server gets, so that no dup2() steps on another. */
static int lift(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, SERVER_HISTORY_FD + 1);
}

static int fork_server(struct quodd *q)
{
	own_fd int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	own_fd int orders = -1, listener = -1, program = -1, theirs = -1;
	own_fd int roster = -1, list = -1, history = -1;
	int pair[2];
	int r = self < 0 ? -errno : roster_send(q->roster, &roster);

	if (r == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		r = -errno;
	if (r < 0)
		return r;
	q->orders_fd = pair[0];
	theirs = pair[1];
	orders = lift(theirs);
	listener = lift(q->listen_fd);
	list = lift(roster);
	program = lift(self);
	if (q->history_fd >= 0)
		history = lift(q->history_fd);
	if (orders < 0 || listener < 0 || list < 0 || program < 0 ||
	    (q->history_fd >= 0 && history < 0))
		return -errno;
	q->server = fork();
	if (q->server == 0)
		exec_server(q, orders, listener, list, history, program);
	return q->server < 0 ? -errno : 0;
}

static int start_server(struct quodd *q, struct usage *usage)
{
	int r = fork_server(q);

	if (r < 0)
		return usage_fail(usage, r, "cannot start the server: %s", strerror(-r));
	q->listen_fd = close_fd(q->listen_fd);
	q->history_fd = close_fd(q->history_fd);
	return 0;
}

static int run(const struct quodd_args *args, struct quodd *q, struct usage *usage)
{
	int r = take_args(args, q, usage);

	if (r == 0)
		r = prepare_process(usage);
	if (r == 0)
		r = load(args, q, usage);
	if (r < 0 || args->test)
		return r;
	r = open_all(args, q, usage);
	if (r < 0)
		return r;
	r = start_server(q, usage);
	if (r == 0)
		r = monitor_run(&(struct monitor_setup){.interp = &q->interp,
							.place = &q->place,
							.orders_fd = q->orders_fd,
							.server = q->server,
							.roster = q->roster,
							.config_dir = args->config,
							.options = &q->options});
	/* Only here it is surely ours. */
	unlink(args->socket);
	return r;
}

int quodd_main(int argc, char **argv)
{
	struct quodd q = {.state_fd = -1,
			  .history_fd = -1,
			  .listen_fd = -1,
			  .orders_fd = -1,
			  .interp = INTERP_INIT,
			  .place = {.fd = -1},
			  .server = -1};
	struct quodd_args args = {0};
	struct usage usage;
	int rest = 0;
	int r = file_open_std_fds();

	if (r < 0)
		return 1;
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
	close_fd(q.state_fd);
	close_fd(q.history_fd);
	close_fd(q.listen_fd);
	close_fd(q.orders_fd);
	return r < 0 ? EXIT_CONFIGURATION : r;
}
