/* SPDX-License-Identifier: MIT */
/*
 * What a user without privileges has to be given once, by who has them. A cgroup that is
 * his own comes from systemd's manager of his; it lives while he is logged in, or always
 * if he lingers.
 */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/doctor_checks.h"

#define DELEGATE_DIR "/etc/systemd/system/user@.service.d"

static bool runs_systemd(void)
{
	return access("/run/systemd/system", F_OK) == 0;
}

/* His name, or his number. */
static void name_user(char *name, size_t size)
{
	const struct passwd *user = getpwuid(geteuid());

	if (user)
		snprintf(name, size, "%s", user->pw_name);
	else
		snprintf(name, size, "%u", (unsigned)geteuid());
}

void check_caller(struct doctor *doctor)
{
	struct finding *finding = doctor_add(doctor, "caller", "look who asks");

	if (geteuid() != 0) {
		finding_is(finding, JAIL_PROBE_WORKS,
			   "user %u; one id is all that a jail has, so neither newuidmap "
			   "nor /etc/subuid is needed",
			   (unsigned)geteuid());
		return;
	}
	finding_is(finding, JAIL_PROBE_LESS,
		   "root, who is refused less than a user will be");
	finding_instead(finding, "what is found here holds for root alone");
	finding_mend(finding, "su - USER -c 'quod doctor --for rootless'");
}

void check_manager(struct doctor *doctor)
{
	char path[64];
	struct finding *finding;

	if (!runs_systemd() || geteuid() == 0)
		return;
	snprintf(path, sizeof(path), "/run/user/%u/systemd", (unsigned)geteuid());
	finding = doctor_add(doctor, "user manager", "look for '%s'", path);
	if (access(path, F_OK) == 0) {
		finding_is(finding, JAIL_PROBE_WORKS,
			   "systemd has one for this user, who gives cgroups");
		return;
	}
	finding_is(finding, JAIL_PROBE_LESS, "%s", strerror(errno));
	finding_instead(finding, "without a cgroup memory is held by RLIMIT_DATA and the "
				 "engine's own cap, and no share of the CPU is");
	finding_mend(finding,
		     "log in through PAM, with libpam-systemd, or as root: "
		     "systemctl start user@%u.service",
		     (unsigned)geteuid());
}

/* Else his daemon and its runs end when he logs out. */
void check_linger(struct doctor *doctor)
{
	char name[64], path[128];
	struct finding *finding;

	if (!runs_systemd() || geteuid() == 0)
		return;
	name_user(name, sizeof(name));
	snprintf(path, sizeof(path), "/var/lib/systemd/linger/%s", name);
	finding = doctor_add(doctor, "linger", "look for '%s'", path);
	if (access(path, F_OK) == 0) {
		finding_is(finding, JAIL_PROBE_WORKS,
			   "what runs for this user goes on when he logs out");
		return;
	}
	finding_is(finding, JAIL_PROBE_LESS, "%s", strerror(errno));
	finding_instead(finding,
			"no limit is held by less: a quodd of his ends when he logs out");
	finding_mend(finding, "loginctl enable-linger %s", name);
}

/* What the system's manager hands to his. */
void check_delegated(struct doctor *doctor)
{
	char path[160], missing[32];
	struct finding *finding;

	snprintf(path, sizeof(path),
		 "/sys/fs/cgroup/user.slice/user-%u.slice/user@%u.service/"
		 "cgroup.controllers",
		 (unsigned)geteuid(), (unsigned)geteuid());
	if (geteuid() == 0 || !doctor_missing_controllers(path, missing, sizeof(missing)))
		return;
	finding = doctor_add(doctor, "delegation", "read '%s'", path);
	if (!missing[0]) {
		finding_is(finding, JAIL_PROBE_WORKS, "memory, pids and cpu are there");
		return;
	}
	finding_is(finding, JAIL_PROBE_LESS, "not delegated to this user:%s", missing);
	finding_instead(finding, "the rows of these controllers say what holds instead");
	finding_mend(finding, "as root: mkdir -p " DELEGATE_DIR " && printf "
			      "'[Service]\\nDelegate=cpu memory pids\\n' "
			      ">" DELEGATE_DIR "/quod.conf && systemctl daemon-reload; "
			      "then log in anew");
}
