/* SPDX-License-Identifier: MIT */
/*
 * Where the daemon has its socket and its state if nobody says it: the XDG base directory
 * specification for a user's own, fixed paths for the host's.
 */
#include "daemon/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "supervisor/command_table.h"

/* What the XDG base directory specification says: what is no absolute path counts as not
 * set. */
static const char *absolute_env(const char *name)
{
	const char *value = getenv(name);

	return value && value[0] == '/' ? value : NULL;
}

static int choose_users_socket(struct text *socket, struct usage *usage)
{
	const char *runtime = absolute_env("XDG_RUNTIME_DIR");

	if (!runtime)
		return usage_fail(
			usage, -ENOENT,
			"--user: there is no $XDG_RUNTIME_DIR to listen in: log "
			"in, or say --socket PATH");
	text_addf(socket, "%s/quod/quod.sock", runtime);
	return 0;
}

static int choose_users_state(struct text *state, struct usage *usage)
{
	const char *all = absolute_env("XDG_STATE_HOME"), *home = absolute_env("HOME");

	if (!all && !home)
		return usage_fail(usage, -ENOENT,
				  "--user: there is no $HOME for the state: set it, or "
				  "say --state DIR");
	text_addf(state, "%s%s/quod", all ? all : home, all ? "" : "/.local/state");
	return 0;
}

/* Each directory on the way; what is there stays as it is. */
static int make_way_to(const char *path, bool whole, mode_t mode, struct usage *usage)
{
	own_text struct text at = TEXT_INIT(4096);
	size_t len = whole ? strlen(path) : (size_t)(strrchr(path, '/') - path);

	for (size_t end = 1; end <= len; end++) {
		if (end < len && path[end] != '/')
			continue;
		text_clear(&at);
		text_add(&at, path, end);
		if (text_status(&at) < 0)
			return usage_fail(usage, text_status(&at),
					  "the path '%.200s': %s", path,
					  strerror(-text_status(&at)));
		if (mkdir(text_str(&at), mode) < 0 && errno != EEXIST)
			return usage_fail(usage, -errno, "cannot make '%s': %s",
					  text_str(&at), strerror(errno));
	}
	return 0;
}

int places_choose_socket(bool of_user, struct text *socket, struct usage *usage)
{
	int r = 0;

	if (!of_user)
		text_add_str(socket, SOCKET_USUAL);
	else
		r = choose_users_socket(socket, usage);
	return r < 0 ? r
		     : make_way_to(text_str(socket), false, of_user ? 0700 : 0755, usage);
}

int places_choose_state(struct text *state, struct usage *usage)
{
	int r = choose_users_state(state, usage);

	return r < 0 ? r : make_way_to(text_str(state), true, 0700, usage);
}
