/* SPDX-License-Identifier: MIT */
/*
 * A round goes through the policies one after the other, so that it takes the place of one
 * run only; where runs have all places it waits.
 *
 * A trial runs in the name of a tenant that has the policy, in his cgroup. He may have used
 * that up, so that a policy fails only where it does with each of several.
 */
#include "daemon/ready.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/own.h"
#include "daemon/job.h"
#include "daemon/log.h"
#include "daemon/server.h"
#include "supervisor/doctor.h"
#include "supervisor/json.h"

/* From a doubt to its trials: a run that fails again and again does not cost a second
 * jail each time. */
#define DOUBT_US 1000000u
/* Between two rounds while something is missing. */
#define AGAIN_US 5000000u

/* So many tenants are asked before a policy is said to fail. */
#define TENANTS_ASKED 3u

#define MEND_RUN "run `quod doctor --for quodd` as the user who starts quodd"

static const char *const part_names[READY_PARTS_COUNT] = {
#define X(id, what) [READY_##id] = what,
	READY_PARTS(X)
#undef X
};

/* --- parts -------------------------------------------------------------------- */

static void lackv(struct ready_lack *lack, const char *mend, const char *format,
		  va_list args) __attribute__((format(printf, 3, 0)));

static void lackv(struct ready_lack *lack, const char *mend, const char *format,
		  va_list args)
{
	*lack = (struct ready_lack){.is = true, .mend = mend};
	vsnprintf(lack->why, sizeof(lack->why), format, args);
}

void ready_lacks(struct ready *ready, enum ready_part part, const char *mend,
		 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	lackv(&ready->parts[part], mend, format, args);
	va_end(args);
}

void ready_has(struct ready *ready, enum ready_part part)
{
	ready->parts[part].is = false;
}

/* --- trials ------------------------------------------------------------------- */

static bool is_current(const struct ready *ready)
{
	return ready->generation == ready->server->tenants.roster->generation;
}

static void begin_round(struct ready *ready);
static void go_on(struct ready *ready);

static int on_time(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct ready *ready = userdata;

	(void)source;
	(void)usec;
	if (ready->server->stopping)
		return 0;
	if (ready->trying && is_current(ready))
		go_on(ready);
	else
		begin_round(ready);
	return 0;
}

static void come_again(struct ready *ready, uint64_t us)
{
	sd_event_source_set_time_relative(ready->on_time, us);
	sd_event_source_set_enabled(ready->on_time, SD_EVENT_ONESHOT);
}

static bool any_policy_lacks(const struct ready *ready)
{
	for (unsigned i = 0; i < ROSTER_POLICIES_MOST; i++)
		if (ready->policies[i].is)
			return true;
	return false;
}

static void end_round(struct ready *ready)
{
	for (unsigned i = ready->at; i < ROSTER_POLICIES_MOST; i++)
		ready->policies[i].is = false;
	ready->trying = false;
	ready->tried = true;
	if (any_policy_lacks(ready))
		come_again(ready, AGAIN_US);
}

/* The next one that may use the policy under trial; NULL: no more of them. */
static struct tenant *next_tenant(const struct ready *ready)
{
	struct tenant *best = NULL;

	for (struct tenant *at = ready->server->tenants.list; at; at = at->next)
		if (!at->gone && at->number >= ready->tenant &&
		    (at->policies >> ready->at & 1) &&
		    (!best || at->number < best->number))
			best = at;
	return best;
}

static void next_policy(struct ready *ready)
{
	ready->at++;
	ready->tenant = ready->failed = 0;
}

static void judge(struct ready *ready, const struct record *record)
{
	struct ready_lack *lack = &ready->policies[ready->at];
	bool was = lack->is;

	*lack = (struct ready_lack){.is = record->status != STATUS_OK, .mend = MEND_RUN};
	if (lack->is)
		snprintf(lack->why, sizeof(lack->why), "a run of ours ended as %s%s%s",
			 status_infos[record->status].name, record->why.len ? ": " : "",
			 text_str(&record->why));
	if (lack->is && !was)
		log_say("policy %s cannot be used: %s", record->request->policy->name,
			lack->why);
	else if (!lack->is && was)
		log_say("policy %s can be used again", record->request->policy->name);
}

static bool others_are_left(struct ready *ready)
{
	return ++ready->failed < TENANTS_ASKED && next_tenant(ready);
}

static void on_tried(const struct record *record, void *whose)
{
	struct ready *ready = whose;

	if (!is_current(ready)) {
		begin_round(ready);
		return;
	}
	if (record->status == STATUS_OK || !others_are_left(ready)) {
		judge(ready, record);
		next_policy(ready);
	}
	go_on(ready);
}

/* A policy that no tenant has is nobody's concern. */
static struct tenant *find_trial(struct ready *ready)
{
	const struct roster *roster = ready->server->tenants.roster;

	while (ready->at < roster->policies_count) {
		struct tenant *tenant = next_tenant(ready);

		if (tenant)
			return tenant;
		ready->policies[ready->at].is = false;
		next_policy(ready);
	}
	return NULL;
}

/* The first of those that are left who has a place for it: whoever uses all of his keeps
 * nobody from hearing how the others fare. */
static bool try_any(struct ready *ready)
{
	uint32_t first = ready->tenant;
	struct tenant *tenant;

	while ((tenant = next_tenant(ready))) {
		ready->tenant = tenant->number + 1;
		if (job_try(ready->server, tenant, ready->at, on_tried, ready) == 0)
			return true;
	}
	ready->tenant = first;
	return false;
}

/* Without a place for it, or memory, the round goes on later. */
static void go_on(struct ready *ready)
{
	if (!find_trial(ready))
		end_round(ready);
	else if (!try_any(ready))
		come_again(ready, DOUBT_US);
}

static void begin_round(struct ready *ready)
{
	const struct roster *roster = ready->server->tenants.roster;

	ready->trying = true;
	ready->at = ready->tenant = ready->failed = 0;
	ready->generation = roster->generation;
	go_on(ready);
}

int ready_begin(struct ready *ready, struct server *server)
{
	int r;

	ready->server = server;
	r = sd_event_add_time_relative(server->event, &ready->on_time, CLOCK_MONOTONIC, 0,
				       1, on_time, ready);
	while (r >= 0 && !ready->tried &&
	       sd_event_get_state(server->event) != SD_EVENT_FINISHED)
		r = sd_event_run(server->event, UINT64_MAX);
	return r < 0 ? r : 0;
}

void ready_free(struct ready *ready)
{
	ready->on_time = sd_event_source_disable_unref(ready->on_time);
	free(ready->findings);
}

void ready_doubt(struct ready *ready)
{
	int enabled = SD_EVENT_OFF;

	sd_event_source_get_enabled(ready->on_time, &enabled);
	if (!ready->trying && enabled == SD_EVENT_OFF)
		come_again(ready, DOUBT_US);
}

/* What was found by the numbers of the old one is not known of the new one's. A round that is
 * under way begins anew by itself. */
void ready_adopt(struct ready *ready)
{
	for (unsigned i = 0; i < ROSTER_POLICIES_MOST; i++)
		ready->policies[i].is = false;
	if (!ready->trying)
		come_again(ready, 1);
}

/* --- the host ----------------------------------------------------------------- */

void ready_take_findings(struct ready *ready, int fd)
{
	struct finding *findings;
	unsigned count;
	int r = findings_read(fd, &findings, &count);

	if (r < 0) {
		log_say("what was found of the host cannot be read: %s", strerror(-r));
		return;
	}
	free(ready->findings);
	ready->findings = findings;
	ready->findings_count = count;
}

/* --- the answer --------------------------------------------------------------- */

bool ready_is(const struct ready *ready)
{
	for (int i = 0; i < READY_PARTS_COUNT; i++)
		if (ready->parts[i].is)
			return false;
	return ready->tried && !store_trouble(ready->server->store) &&
	       !any_policy_lacks(ready);
}

static void add_lack(const struct ready_lack *lack, const char *kind, const char *name,
		     unsigned *count, struct text *to)
{
	own_text struct text what = TEXT_INIT(256);

	if (!lack->is)
		return;
	text_addf(&what, "%s%s", kind, name);
	text_add_str(to, (*count)++ ? ",{\"what\":" : "{\"what\":");
	json_add_str(to, text_str(&what));
	text_add_str(to, ",\"why\":");
	json_add_str(to, lack->why);
	text_add_str(to, ",\"mend\":");
	json_add_str(to, lack->mend);
	text_add_char(to, '}');
}

static void add_history(const struct ready *ready, unsigned *count, struct text *to)
{
	const char *trouble = store_trouble(ready->server->store);
	struct ready_lack lack = {.is = trouble != NULL};

	snprintf(lack.why, sizeof(lack.why), "%s", trouble ? trouble : "");
	add_lack(&lack, "", "history", count, to);
}

static void add_policies(const struct ready *ready, uint64_t shown, unsigned *count,
			 struct text *to)
{
	static const struct ready_lack hidden = {
		.is = true, .why = "runs with it fail; its tenants are told more"};
	const struct roster *roster = ready->server->tenants.roster;
	bool any_hidden = false;

	for (unsigned i = 0; i < roster->policies_count; i++)
		if (shown >> i & 1)
			add_lack(&ready->policies[i], "policy ",
				 roster->policies[i]->name, count, to);
		else
			any_hidden |= ready->policies[i].is;
	if (any_hidden)
		add_lack(&hidden, "", "another policy", count, to);
}

static void add_findings(const struct ready *ready, struct text *to)
{
	bool first = true;

	text_add_str(to, ",\"version\":\"" PACKAGE_VERSION "\",\"findings\":");
	text_add_str(to, ready->findings ? "[" : "null");
	for (unsigned i = 0; i < ready->findings_count; i++) {
		if (ready->findings[i].state == JAIL_PROBE_WORKS)
			continue;
		if (!first)
			text_add_char(to, ',');
		first = false;
		finding_write_json(&ready->findings[i], to);
	}
	text_add_str(to, ready->findings ? "]" : "");
}

void ready_write(const struct ready *ready, uint64_t shown, bool is_operator,
		 struct text *to)
{
	unsigned count = 0;

	text_addf(to, "{\"status\":\"%s\",\"api\":%u,\"missing\":[",
		  ready_is(ready) ? "ready" : "not ready", DOCTOR_API);
	for (int i = 0; i < READY_PARTS_COUNT; i++)
		add_lack(&ready->parts[i], "", part_names[i], &count, to);
	add_history(ready, &count, to);
	add_policies(ready, shown, &count, to);
	text_add_char(to, ']');
	if (is_operator)
		add_findings(ready, to);
	else
		text_add_str(to, ",\"version\":null,\"findings\":null");
	text_add_str(to, "}\n");
}
