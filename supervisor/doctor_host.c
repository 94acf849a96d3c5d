/* SPDX-License-Identifier: MIT */
/*
 * What a run needs of the host beside the kernel's features: the interpreter as a file
 * that a stranger can execute, policies that parse.
 */
#include <errno.h>
#include <string.h>

#include "base/own.h"
#include "policy/load.h"
#include "policy/search.h"
#include "supervisor/doctor_checks.h"
#include "supervisor/interp.h"

void check_interpreter(struct doctor *doctor)
{
	struct interp interp = INTERP_INIT;
	struct finding *finding;
	char why[400];

	interp_open(&interp);
	finding = doctor_add(doctor, "interpreter", "open and look at '%.100s'",
			     interp.path);
	interp_diagnose(&interp, why, sizeof(why));
	if (interp.fd < 0)
		finding_told(finding, JAIL_PROBE_FAILS, interp.why);
	else if (why[0])
		finding_told(finding, JAIL_PROBE_FAILS, why);
	else
		finding_is(finding, JAIL_PROBE_WORKS,
			   "a static program that strangers may execute");
	interp_close(&interp);
}

static void note_fault(void *context, const struct policy_fault *fault)
{
	struct finding *finding = context;

	if (!finding->found[0])
		report_spell(fault, finding->found, sizeof(finding->found));
}

/* Every policy that there is: one that is wrong fails the runs that name it. */
void check_policies(struct doctor *doctor)
{
	own_policy_names struct policy_names names = {0};
	struct finding *finding =
		doctor_add(doctor, "policies", "read all in %.120s", search_path());
	struct policy_report report = {
		.say = note_fault, .context = finding, .faults_only = true};
	int r = policy_list(&names, &report);

	for (size_t i = 0; r == 0 && i < names.count; i++) {
		own_policy const struct policy *policy = NULL;

		(void)policy_read(names.list[i], false, &report, &policy);
	}
	if (!report.faults) {
		finding_is(finding, JAIL_PROBE_WORKS, "%zu can be loaded", names.count);
		return;
	}
	finding->state = JAIL_PROBE_FAILS;
	finding_mend(finding,
		     "mend the file there, and look at it again: quod policy "
		     "test FILE (%u faults in all)",
		     report.faults);
}
