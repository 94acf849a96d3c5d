/* SPDX-License-Identifier: MIT */
/*
 * What the daemon says of itself at /readyz: what is missing there, and what it has found
 * when it asked the same checks in its own cgroup, under its own unit.
 *
 * Who listens at the socket may be anybody. A child asks, confined before it reads the
 * first byte, and sends rows; it is ended if it takes too long. What it sends is sealed,
 * because it may be the daemon's word, and escaped where it is shown.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/client.h"
#include "supervisor/doctor_checks.h"
#include "supervisor/json_value.h"

/* Somebody who waits for a prompt is answered, or the daemon is not well. */
#define DAEMON_ANSWER_MS 3000
#define ROWS_MOST	 48u

#define MEND_DAEMON                                                             \
	"see what it says: systemctl status quodd; journalctl -u quodd; then: " \
	"systemctl restart quodd"

/* --- in the child ------------------------------------------------------------- */

/* Words of the daemon's, cut to what there is room for. */
static bool take_words(const struct json_span *value, char *to, size_t size)
{
	own_text struct text words = TEXT_INIT(1u << 16);

	if (!value->at || json_is_null(value)) {
		to[0] = '\0';
		return true;
	}
	if (!json_get_text(value, &words))
		return false;
	snprintf(to, size, "%s", text_str(&words));
	return true;
}

static bool add_missing(struct doctor *doctor, const struct json_span *item)
{
	static const char *const names[] = {"what", "why", "mend"};
	struct json_span values[ARRAY_LEN(names)];
	struct finding *finding = doctor_add(doctor, "", "GET /readyz");
	char what[32];

	finding->state = JAIL_PROBE_FAILS;
	if (!json_pick(item, names, values, ARRAY_LEN(names)) || !values[0].at ||
	    !take_words(&values[0], what, sizeof(what)) ||
	    !take_words(&values[1], finding->found, sizeof(finding->found)) ||
	    !take_words(&values[2], finding->remedy, sizeof(finding->remedy)))
		return false;
	snprintf(finding->name, sizeof(finding->name), "missing: %s", what);
	return true;
}

static bool add_finding(struct doctor *doctor, const struct json_span *item)
{
	static const char *const names[] = {"name",  "state",	"tried",
					    "found", "instead", "remedy"};
	struct json_span values[ARRAY_LEN(names)];
	struct finding *finding = doctor_add(doctor, "", "%s", "");
	char name[32];
	unsigned state;

	if (!json_pick(item, names, values, ARRAY_LEN(names)) ||
	    !take_words(&values[0], name, sizeof(name)) ||
	    !json_get_choice(&values[1], finding_state_names, JAIL_PROBE_FAILS + 1,
			     &state) ||
	    !take_words(&values[2], finding->tried, sizeof(finding->tried)) ||
	    !take_words(&values[3], finding->found, sizeof(finding->found)) ||
	    !take_words(&values[4], finding->instead, sizeof(finding->instead)) ||
	    !take_words(&values[5], finding->remedy, sizeof(finding->remedy)))
		return false;
	snprintf(finding->name, sizeof(finding->name), "quodd: %s", name);
	finding->state = (enum jail_probe_state)state;
	return true;
}

static bool add_all(struct doctor *doctor, const struct json_span *list,
		    bool (*add)(struct doctor *, const struct json_span *))
{
	struct json_span item;
	struct json_walk walk;

	if (!json_walk_array(list->at, list->len, &walk))
		return false;
	while (doctor->count < ROWS_MOST && json_walk_next_value(&walk, &item))
		if (!add(doctor, &item))
			return false;
	return true;
}

static void judge_version(struct finding *finding, const char *version)
{
	if (!version[0] || !strcmp(version, PACKAGE_VERSION)) {
		finding_is(finding, JAIL_PROBE_WORKS, "it answers, and is ready");
		return;
	}
	finding_is(finding, JAIL_PROBE_LESS,
		   "it answers, and is of version %s; this is quod " PACKAGE_VERSION,
		   version);
	finding_instead(finding,
			"no limit is held by less: what one of them knows the other "
			"may not");
	finding_mend(finding,
		     "systemctl restart quodd: after an upgrade the old one runs on");
}

/* False: no answer of a quodd that speaks as we do. */
static bool read_answer(struct doctor *doctor, const struct client *client)
{
	static const char *const names[] = {"status", "missing", "api", "version",
					    "findings"};
	enum { IS_READY, MISSING, API, RELEASE, FINDINGS };
	static const char *const words[] = {"ready", "not ready"};
	struct json_span body, values[ARRAY_LEN(names)];
	char version[64];
	uint64_t api;
	unsigned is_red;

	if (!client_body(client, &body) ||
	    !json_pick(&body, names, values, ARRAY_LEN(names)) || !values[IS_READY].at ||
	    !json_get_choice(&values[IS_READY], words, 2, &is_red) || !values[API].at ||
	    !json_get_u64(&values[API], UINT32_MAX, &api) || api != DOCTOR_API ||
	    !values[MISSING].at ||
	    !take_words(&values[RELEASE], version, sizeof(version)))
		return false;
	judge_version(&doctor->findings[0], version);
	if (is_red) {
		finding_is(&doctor->findings[0], JAIL_PROBE_FAILS,
			   "it answers, and is not ready");
		finding_mend(
			&doctor->findings[0],
			"each line below that begins with 'missing' says what mends it");
	}
	if (!add_all(doctor, &values[MISSING], add_missing))
		return false;
	return !values[FINDINGS].at || json_is_null(&values[FINDINGS]) ||
	       add_all(doctor, &values[FINDINGS], add_finding);
}

static void ask(struct doctor *doctor)
{
	static const char *const path = "/readyz";
	const char *socket = client_socket(doctor->socket);
	struct finding *finding = doctor_add(doctor, "daemon", "GET /readyz");
	own_client struct client client;
	struct usage why;
	int r = client_get(&client, 1, socket, "GET", &path, &why);

	if (r != 0) {
		finding_told(finding, JAIL_PROBE_FAILS, why.text);
		if (!finding->remedy[0])
			finding_mend(finding, MEND_DAEMON);
	} else if (client.reply.status != 200 && client.reply.status != 503) {
		client_refused(&client, &why);
		finding_is(finding, JAIL_PROBE_FAILS, "%s", why.text);
		finding_mend(finding, MEND_DAEMON);
	} else if (!read_answer(doctor, &client)) {
		doctor->count = 1;
		finding_is(finding, JAIL_PROBE_FAILS,
			   "it answers, but not as quodd " PACKAGE_VERSION
			   " does (API %u): is it another program, or another version?",
			   DOCTOR_API);
		finding_mend(finding,
			     "install quod and quodd of one version, then: systemctl "
			     "restart quodd; see who listens: ss -lxp");
	}
}

static _Noreturn void child_main(const struct doctor *parent, int fd)
{
	struct doctor doctor = {.purpose = parent->purpose,
				.socket = parent->socket,
				.room = parent->room};

	ask(&doctor);
	_exit(findings_write(fd, doctor.findings, doctor.count) < 0);
}

/* --- and outside of it -------------------------------------------------------- */

/* Somebody may type what is said to mend it: that it is not our word has to be seen. */
static void mark_said(struct finding *finding)
{
	char words[sizeof(finding->remedy)];

	if (!finding->remedy[0])
		return;
	memcpy(words, finding->remedy, sizeof(words));
	finding_mend(finding, "it says: %s", words);
}

static void take_rows(struct doctor *doctor, struct finding *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		finding_seal(&rows[i]);
		if (i > 0)
			mark_said(&rows[i]);
		*doctor_add(doctor, rows[i].name, "%s", rows[i].tried) = rows[i];
	}
}

void check_daemon(struct doctor *doctor)
{
	own_free struct finding *rows = calloc(ROWS_MOST, sizeof(*rows));
	int ends[2], heard = -ENOMEM;
	pid_t pid = -1;

	if (rows && pipe2(ends, O_CLOEXEC) == 0) {
		pid = fork();
		if (pid == 0)
			child_main(doctor, ends[1]);
		close_fd(ends[1]);
		heard = pid < 0 ? -errno
				: doctor_listen(ends[0], (char *)rows,
						ROWS_MOST * sizeof(*rows),
						DAEMON_ANSWER_MS);
		close_fd(ends[0]);
		/* Of a child that is somebody else's by now there need be no end. */
		if (pid > 0)
			(void)doctor_reap(pid, true);
	}
	if (heard > 0) {
		take_rows(doctor, rows, (size_t)heard / sizeof(*rows));
		return;
	}
	struct finding *finding = doctor_add(doctor, "daemon", "GET /readyz");
	if (heard == -ETIMEDOUT)
		finding_is(finding, JAIL_PROBE_FAILS, "it does not answer within %u s",
			   DAEMON_ANSWER_MS / 1000);
	else
		finding_is(finding, JAIL_PROBE_FAILS, "who asks it has ended: %s",
			   strerror(heard < 0 ? -heard : EIO));
	finding_mend(finding, MEND_DAEMON);
}

/* --- the socket --------------------------------------------------------------- */

static void judge_mode(struct finding *finding, const char *path, const struct stat *st)
{
	const struct passwd *user = getpwuid(geteuid());
	const struct group *group = getgrgid(st->st_gid);

	finding_is(finding, JAIL_PROBE_FAILS,
		   "%s: it is user %u's and group %s's, mode %04o", strerror(EACCES),
		   (unsigned)st->st_uid, group ? group->gr_name : "?",
		   (unsigned)st->st_mode & 07777);
	if (group && st->st_gid != 0 && st->st_mode & S_IWGRP)
		finding_mend(finding, "as root: usermod -aG %s %s, and log in anew",
			     group->gr_name, user ? user->pw_name : "USER");
	else
		finding_mend(finding,
			     "systemctl edit quodd.socket: SocketMode=0666, or "
			     "SocketGroup= and SocketMode=0660; then: systemctl "
			     "restart quodd.socket; on another way, as root: chmod "
			     "0666 '%.100s'",
			     path);
}

void check_socket(struct doctor *doctor)
{
	const char *path = client_socket(doctor->socket);
	struct finding *finding = doctor_add(doctor, "socket", "look at '%.100s'", path);
	struct stat st;

	if (stat(path, &st) < 0) {
		finding_is(finding, JAIL_PROBE_FAILS, "%s", strerror(errno));
		if (errno == EACCES)
			finding_mend(finding,
				     "a directory of the path is closed to this "
				     "user: namei -l '%.100s'; chmod o+x the first "
				     "that is",
				     path);
		else
			finding_mend(finding, "systemctl enable --now quodd.socket");
	} else if (!S_ISSOCK(st.st_mode)) {
		finding_is(finding, JAIL_PROBE_FAILS, "it is no socket");
		finding_mend(finding, "rm '%.100s' && systemctl restart quodd.socket",
			     path);
	} else if (access(path, W_OK) < 0) {
		judge_mode(finding, path, &st);
	} else {
		finding_is(finding, JAIL_PROBE_WORKS, "this user may connect");
	}
}
