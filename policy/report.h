/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with the files of a policy, told one by one to whoever reads them: all of
 * it to `quod policy test`, the first to a run.
 */
#ifndef QUOD_REPORT_H
#define QUOD_REPORT_H

#include <stdbool.h>

#include "policy/ini.h"
#include "policy/policy.h"

struct policy_fault {
	const char *file;	/* NULL: no file is at fault */
	struct ini_place place; /* line 0: the file as a whole */
	bool warning;		/* it can be loaded all the same */
	const char *text;
};

struct policy_report {
	void (*say)(void *context, const struct policy_fault *fault);
	void *context;
	bool faults_only; /* warnings are not said */
	unsigned faults;  /* not counting warnings */
	int error;	  /* of the first of them */
};

/* Returns r. */
int report_fault(struct policy_report *report, int r, const char *file,
		 struct ini_place place, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

void report_warning(struct policy_report *report, const char *file,
		    struct ini_place place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* "FILE:LINE:COLUMN: what", with "warning: " before the what of one. */
void report_spell(const struct policy_fault *fault, char *text, size_t size);

#endif
