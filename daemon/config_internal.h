/* SPDX-License-Identifier: MIT */
/* Between config.c, which knows the files, and config_entry.c, which knows what stands in
 * them. */
#ifndef QUOD_CONFIG_INTERNAL_H
#define QUOD_CONFIG_INTERNAL_H

#include "daemon/config.h"
#include "policy/load.h"

#define CONFIG_SUFFIX ".conf"

struct reading {
	struct roster *roster;
	struct policy_report *report;
	const char *file;
	struct ini ini;
	struct ini_item item;
	struct roster_tenant otherwise; /* what tenants begin from */
	struct roster_tenant *tenant;	/* whom the keys of [Tenant] are about */
	uint32_t number;		/* his; in quodd.conf there is none */
	bool policies_said, runs_said;	/* in quodd.conf */
};

static const struct ini_place config_nowhere;

/* The next section or entry of the file. `section`: "" before the first, NULL in one that
 * was told already. What is wrong is reported. */
void config_take_item(struct reading *reading, const char **section);

/* Each policy is loaded when it is first named: its number, or a negative errno, which is
 * reported. */
int config_load_policy(struct reading *reading, const char *name);

#endif
