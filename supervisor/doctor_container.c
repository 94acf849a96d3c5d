/* SPDX-License-Identifier: MIT */
/*
 * What a container takes away from who starts jails in it, beyond what the other checks
 * would find without knowing that it is one. What is refused is told there by what was
 * tried; here by who refuses.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/doctor_checks.h"

/* Of the first user namespace: part of the kernel's interface (linux/nsfs.h). */
#define FIRST_USER_NAMESPACE 0xEFFFFFFDu

/* What engines leave to be known by: the first two files, and the variable of systemd's
 * container interface. */
bool doctor_in_container(void)
{
	return access("/run/.containerenv", F_OK) == 0 ||
	       access("/.dockerenv", F_OK) == 0 ||
	       access("/run/systemd/container", F_OK) == 0 || getenv("container");
}

static void check_filter(struct doctor *doctor)
{
	char names[200];
	int refused = jail_filter_refusals(doctor->purpose == DOCTOR_QUODD, names,
					   sizeof(names));
	struct finding *finding =
		doctor_add(doctor, "filter around", "call what jails are made with");

	if (refused <= 0) {
		finding_is(finding, JAIL_PROBE_WORKS, "%s",
			   refused < 0 ? "there is none"
				       : "a seccomp filter that lets jails be made");
		return;
	}
	finding_is(finding, JAIL_PROBE_FAILS, "a seccomp filter refuses %s", names);
	finding_mend(finding, "docker run --security-opt seccomp=FILE, in Kubernetes "
			      "seccompProfile of type Localhost; FILE is made by: jq -f "
			      "seccomp.jq default.json (containers.md)");
}

/* That it is in the way is found where a root is made; whose word it is stands here. */
static void check_apparmor(struct doctor *doctor)
{
	struct finding *finding;
	char label[200];

	if (!doctor_read_line("/proc/self/attr/current", label, sizeof(label)) ||
	    !strstr(label, " ("))
		return;
	finding = doctor_add(doctor, "AppArmor profile", "read our own label");
	finding_is(finding, JAIL_PROBE_WORKS, "%s", label);
}

static bool is_in_first_user_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) == 0 && st.st_ino == FIRST_USER_NAMESPACE;
}

/* A mount of its own, which other containers can have too. */
static bool is_mounted(const char *path)
{
	struct stat here, above;
	char parent[200];

	snprintf(parent, sizeof(parent), "%s/..", path);
	return stat(path, &here) == 0 && stat(parent, &above) == 0 &&
	       here.st_dev != above.st_dev;
}

/* A lock that two containers do not both see keeps no uid from being leased twice. */
static void check_leases(struct doctor *doctor)
{
	struct finding *finding;

	if (geteuid() != 0 || !is_in_first_user_namespace())
		return;
	finding = doctor_add(doctor, "uids of jails", "look where their leases are kept");
	if (is_mounted(QUOD_LEASE_DIR)) {
		finding_is(finding, JAIL_PROBE_WORKS,
			   "'%s' is a mount: containers that share it lease no uid twice",
			   QUOD_LEASE_DIR);
		return;
	}
	finding_is(finding, JAIL_PROBE_LESS,
		   "in this container alone: a jail of another may have the same uid");
	finding_instead(finding,
			"those jails are held apart by namespaces and filters alone");
	finding_mend(finding,
		     "docker run -v %s:%s for all of them, or start the container in a "
		     "user namespace (hostUsers: false), or quod as another user",
		     QUOD_LEASE_DIR, QUOD_LEASE_DIR);
}

void check_container(struct doctor *doctor)
{
	struct finding *finding;

	if (!doctor_in_container() && doctor->purpose != DOCTOR_CONTAINER)
		return;
	finding = doctor_add(doctor, "container", "look for what engines leave");
	finding_is(finding, JAIL_PROBE_WORKS, "%s",
		   doctor_in_container() ? "this is one" : "this is none");
	check_filter(doctor);
	check_apparmor(doctor);
	check_leases(doctor);
}
