/* SPDX-License-Identifier: MIT */
/*
 * The files of quodd.conf(5), read by the monitor. They are an operator's words; root
 * takes none that others could have written.
 */
#ifndef QUOD_CONFIG_H
#define QUOD_CONFIG_H

#include "daemon/roster.h"
#include "policy/report.h"

/* What was said on the command line. */
struct config_options {
	struct settings settings;
	bool given[SETTING_IDS];
};

#define CONFIG_DIR SYSCONFDIR "/quod"

/*
 * Everything below `dir`: quodd.conf, tenants.d/NAME.conf and, unless `dir` is CONFIG_DIR,
 * policies/ instead of where policies are looked for otherwise. NULL: what is there
 * without a file. What `options` give counts
 * instead of what is there. Where no tenant is configured the caller's user is the only one, and
 * the operator. All that is wrong is told; the roster is then not written. Errors: that
 * of the first fault, -ENOMEM.
 */
int config_load(const char *dir, const struct config_options *options,
		struct policy_report *report, struct roster **ret_roster);

#endif
