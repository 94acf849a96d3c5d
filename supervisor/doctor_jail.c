/* SPDX-License-Identifier: MIT */
/*
 * What libjail tries of the host, in doctor's words. Some of it means another thing where
 * it is asked for another purpose.
 */
#include <string.h>
#include <unistd.h>

#include "supervisor/doctor_checks.h"

/* From a shell they say what the shell's cgroup is given, and not what the daemon's is:
 * that the daemon finds out by itself. */
static bool is_of_caller(const struct jail_probe *probe)
{
	return strstr(probe->name, "cgroup v2") || strstr(probe->name, "controller") ||
	       strstr(probe->name, "swap");
}

/* That a jail has its caller's uid is less only for who could have given it another. */
static void judge_ids(const struct doctor *doctor, struct finding *finding)
{
	if (strcmp(finding->name, "ids") != 0 || finding->state != JAIL_PROBE_LESS ||
	    doctor->purpose != DOCTOR_ROOTLESS || geteuid() == 0)
		return;
	finding->state = JAIL_PROBE_WORKS;
	finding_instead(finding, "%s", "");
	finding_mend(finding, "%s", "");
}

void check_jail(struct doctor *doctor)
{
	struct jail_probe probe;

	for (unsigned i = 0; i < jail_probe_count(); i++) {
		struct finding *finding;

		if (jail_probe_run(i, &probe) < 0)
			continue;
		if (doctor->purpose == DOCTOR_QUODD && !doctor->is_daemon &&
		    is_of_caller(&probe))
			continue;
		finding = doctor_add(doctor, probe.name, "%s", probe.tried);
		finding_is(finding, probe.state, "%s", probe.found);
		finding_instead(finding, "%s", probe.instead);
		finding_mend(finding, "%s", probe.remedy);
		judge_ids(doctor, finding);
	}
}
