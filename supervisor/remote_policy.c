/* SPDX-License-Identifier: MIT */
/*
 * The daemon's policies are asked for before the run, by a process that has files yet to
 * read and is not confined. So a child asks: it is confined, reads what the daemon says,
 * and hands over a struct of fixed size, which is checked like the daemon's own words.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/json_value.h"
#include "supervisor/record_read.h"
#include "supervisor/remote.h"
#include "supervisor/status.h"

struct policy_facts {
	int code; /* exit code; 0: the rest is filled */
	struct usage why;
	char name[POLICY_NAME_MOST + 1];
	struct limits limits;
	unsigned engine, mode;
	bool verdict, is_default;
};

static bool read_policy(const struct json_span *json, struct policy_facts *facts)
{
	enum { NAME, ENGINE, MODE, VERDICT, LIMITS, DEFAULT, COUNT };
	static const char *const names[COUNT] = {
		[NAME] = "name",       [ENGINE] = "engine", [MODE] = "mode",
		[VERDICT] = "verdict", [LIMITS] = "limits", [DEFAULT] = "default"};
	own_text struct text name = TEXT_INIT(POLICY_NAME_MOST);
	struct json_span v[COUNT];

	if (!json_pick(json, names, v, COUNT) || !json_get_text(&v[NAME], &name) ||
	    !json_get_choice(&v[ENGINE], policy_engine_names, POLICY_ENGINES_COUNT,
			     &facts->engine) ||
	    !json_get_choice(&v[MODE], policy_mode_names, POLICY_MODES_COUNT,
			     &facts->mode) ||
	    !json_get_bool(&v[VERDICT], &facts->verdict) ||
	    !json_get_bool(&v[DEFAULT], &facts->is_default) ||
	    !record_read_limits(&v[LIMITS], &facts->limits))
		return false;
	memcpy(facts->name, text_str(&name), name.len + 1);
	return true;
}

static int no_such_policy(const char *socket, const char *name, const struct text *known,
			  struct usage *why)
{
	usage_fail(why, 0,
		   "the daemon at '%.200s' has no policy '%.64s' for you, but: %s",
		   socket, name, known->len ? text_str(known) : "none");
	return EXIT_USAGE;
}

/* Every tenant has a policy for jobs that name none. Operators may see policies and run
 * nothing. */
static int no_tenant(const char *socket, struct usage *why)
{
	usage_fail(why, 0,
		   "you are no tenant of the daemon at '%.200s': see quodd.conf(5)",
		   socket);
	return status_infos[STATUS_INTERNAL_ERROR].exit_code;
}

static bool list_policies(const struct client *client, struct json_walk *ret_walk)
{
	static const char *const names[] = {"policies"};
	struct json_span body, list;

	return client_body(client, &body) && json_pick(&body, names, &list, 1) &&
	       list.at && json_walk_array(list.at, list.len, ret_walk);
}

/* Fills facts with the policy of that name. */
static int find_policy(const struct client *client, const char *name,
		       struct policy_facts *facts)
{
	own_text struct text known = TEXT_INIT(200);
	struct json_span item;
	struct json_walk walk;

	if (!list_policies(client, &walk))
		return client_not_known(client, &facts->why);
	while (json_walk_next_value(&walk, &item)) {
		if (!read_policy(&item, facts))
			return client_not_known(client, &facts->why);
		if (name ? !strcmp(facts->name, name) : facts->is_default)
			return 0;
		text_addf(&known, "%s%s", known.len ? ", " : "", facts->name);
	}
	return name ? no_such_policy(client->socket, name, &known, &facts->why)
		    : no_tenant(client->socket, &facts->why);
}

static void ask(const char *socket, const char *name, struct policy_facts *facts)
{
	static const char *const path = "/v1/policies";
	own_client struct client client;

	facts->code = client_get(&client, 1, socket, "GET", &path, &facts->why);
	if (facts->code == 0 && client.reply.status != 200)
		facts->code = client_refused(&client, &facts->why);
	else if (facts->code == 0)
		facts->code = find_policy(&client, name, facts);
}

static _Noreturn void child_main(const char *socket, const char *name, int fd)
{
	struct policy_facts facts = {0};

	ask(socket, name, &facts);
	/* Fewer bytes than a pipe takes at once. */
	_exit(write(fd, &facts, sizeof(facts)) == (ssize_t)sizeof(facts) ? 0 : 1);
}

/* The child's word is checked as the daemon's was: it may be the daemon's. */
static bool is_sound(struct policy_facts *facts)
{
	facts->why.text[sizeof(facts->why.text) - 1] = '\0';
	if (facts->code)
		return facts->code == EXIT_USAGE ||
		       facts->code == status_infos[STATUS_INTERNAL_ERROR].exit_code;
	for (int i = 0; i < LIMIT_IDS; i++)
		if (facts->limits.value[i] < limit_infos[i].least ||
		    facts->limits.value[i] > limit_infos[i].most)
			return false;
	return memchr(facts->name, '\0', sizeof(facts->name)) &&
	       facts->engine < POLICY_ENGINES_COUNT && facts->mode < POLICY_MODES_COUNT;
}

static void take_facts(const struct policy_facts *facts, struct remote_policy *policy)
{
	*policy = (struct remote_policy){
		.policy = {.name = policy->name,
			   .about = "",
			   .engine = (enum policy_engine)facts->engine,
			   .mode = (enum policy_mode)facts->mode,
			   .verdict = facts->verdict,
			   .timers = true,
			   .dynamic_code = true}};
	memcpy(policy->name, facts->name, sizeof(policy->name));
	policy->policy.limits = facts->limits;
}

static int start_child(const char *socket, const char *name, pid_t *ret_child,
		       int *ret_fd)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	*ret_child = fork();
	if (*ret_child == 0)
		child_main(socket, name, ends[1]);
	close(ends[1]);
	*ret_fd = ends[0];
	return *ret_child < 0 ? -errno : 0;
}

static ssize_t read_facts(int fd, struct policy_facts *facts)
{
	ssize_t n;

	do
		n = read(fd, facts, sizeof(*facts));
	while (n < 0 && errno == EINTR);
	return n;
}

int remote_policy_fetch(const char *socket, const char *name,
			struct remote_policy *ret_policy, struct usage *why)
{
	_Static_assert(sizeof(struct policy_facts) <= 4096,
		       "one write to a pipe is one read");
	const int failed = status_infos[STATUS_INTERNAL_ERROR].exit_code;
	own_fd int fd = -1;
	struct policy_facts facts;
	pid_t child = -1;
	int r = start_child(socket, name, &child, &fd);

	if (r < 0) {
		usage_fail(why, r, "cannot start who asks the daemon: %s", strerror(-r));
		return failed;
	}
	bool told = read_facts(fd, &facts) == (ssize_t)sizeof(facts) && is_sound(&facts);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	if (!told) {
		usage_fail(why, 0, "who asks the daemon has ended without an answer");
		return failed;
	}
	*why = facts.why;
	if (facts.code == 0)
		take_facts(&facts, ret_policy);
	return facts.code;
}
