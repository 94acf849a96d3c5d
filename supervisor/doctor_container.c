/* SPDX-License-Identifier: MIT */
/*
 * What a container takes away from who starts jails in it, beyond what the other checks
 * would find without knowing that it is one.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/doctor_checks.h"

/* What engines leave to be known by: the first two files, and the variable of systemd's
 * container interface. */
bool doctor_in_container(void)
{
	return access("/run/.containerenv", F_OK) == 0 ||
	       access("/.dockerenv", F_OK) == 0 ||
	       access("/run/systemd/container", F_OK) == 0 || getenv("container");
}

void check_container(struct doctor *doctor)
{
	struct finding *finding;

	if (!doctor_in_container() && doctor->purpose != DOCTOR_CONTAINER)
		return;
	finding = doctor_add(doctor, "container", "look for what engines leave");
	finding_is(finding, JAIL_PROBE_WORKS, "%s",
		   doctor_in_container() ? "this is one" : "this is none");
}
