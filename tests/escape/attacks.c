/* SPDX-License-Identifier: MIT */
/*
 * The attack classes that sandboxes of this kind have fallen to, one row each, with the
 * test of every row. An attack is tried with the other walls off: no filter, files
 * allowed, uid 0 of the namespace; then under the filters. The test's name ends in the
 * refusal: an errno, or the signal that it died of.
 *
 * What a class has elsewhere as well is named in its row, and must be there.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/attacks.h"

static const struct {
	const char *class, *known_as;
	void (*tests[4])(void);
	const char *elsewhere; /* separated by spaces, below tests/ */
} classes[] = {
	{"host binary overwritten through /proc/self/exe",
	 "CVE-2019-5736",
	 {attack_host_program},
	 "escape/walls.c"},
	{"leaked descriptor or current directory",
	 "CVE-2024-21626",
	 {attack_descriptors, attack_from_chroot},
	 "escape/walls.c"},
	{"terminal injection",
	 "CVE-2017-5226, CVE-2019-10063",
	 {attack_terminal},
	 "escape/filters.c integration/hostile.sh integration/terminal.sh"},
	{"set-up follows a symbolic link",
	 "CVE-2019-18837, CVE-2021-30465, CVE-2025-31133",
	 {attack_setup_by_symlink},
	 NULL},
	{"the host reads a file that the guest wrote",
	 "CVE-2024-28185",
	 {attack_written_files},
	 "escape/walls.c"},
	{"network to the control plane",
	 "CVE-2024-29021",
	 {attack_network},
	 "escape/walls.c"},
	{"privileged front end",
	 "CVE-2022-31214",
	 {attack_set_ids, attack_groups, attack_setup_from_outside},
	 "escape/walls.c integration/jail.sh"},
	{"parsing of a number grants root",
	 "CVE-2026-30892",
	 {attack_numbers, attack_wide_numbers},
	 "escape/refusals.c integration/bad_input.sh unit/test_number.c"},
	{"something that is read later is writable inside",
	 "CVE-2019-12589",
	 {attack_writable_inside},
	 "escape/walls.c"},
	{"channels between two runs", "", {NULL}, "escape/channels.c"},
	{"foreign ABI", "", {attack_foreign_abi}, "escape/filters.c"},
	{"kernel surface through user namespaces",
	 "CVE-2022-0185, CVE-2024-1086, CVE-2022-0492",
	 {attack_kernel_surface},
	 "escape/filters.c"},
	{"inheritable capabilities",
	 "CVE-2022-27650",
	 {attack_capabilities},
	 "escape/walls.c integration/jail.sh"},
	{"core dumps", "", {attack_core_dumps}, "escape/walls.c"},
	{"supervisor as victim",
	 "",
	 {attack_supervisor},
	 "integration/interpreter.sh integration/hostile.sh integration/limits.sh "
	 "integration/terminal.sh fuzz/fuzz_frames.c"},
	{"path through an id", "", {attack_ids, attack_case_ids}, "escape/refusals.c"},
};

static bool is_there(const char *name, size_t len)
{
	char path[4096];
	const char *source = getenv("QUOD_TEST_SOURCE");

	snprintf(path, sizeof(path), "%s/tests/%.*s", source ? source : ".", (int)len,
		 name);
	return access(path, R_OK) == 0;
}

static void check_elsewhere(const char *class, const char *names)
{
	while (names && *names) {
		size_t len = strcspn(names, " ");
		check(is_there(names, len), "%s: see also tests/%.*s", class, (int)len,
		      names);
		names += len + strspn(names + len, " ");
	}
}

int main(void)
{
	remember_programs();
	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		note("%s%s%s", classes[i].class, *classes[i].known_as ? ": " : "",
		     classes[i].known_as);
		for (size_t t = 0; t < 4 && classes[i].tests[t]; t++)
			classes[i].tests[t]();
		check_elsewhere(classes[i].class, classes[i].elsewhere);
	}
	check_programs();
	return tap_end();
}
