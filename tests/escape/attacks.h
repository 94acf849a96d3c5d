/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the attack classes share. Most attacks are a row: one attempt of the
 * inmate, tried with other walls off and then under the real filters, with the refusal
 * that each must meet. What is no row is a function of its class.
 */
#ifndef QUOD_TESTS_ATTACKS_H
#define QUOD_TESTS_ATTACKS_H

#include <stddef.h>

#include "tests/escape/harness.h"

/*
 * A refusal is the name of an errno or of a signal; "ok" says that nothing refuses there.
 * Several, separated by spaces, are kernels of different age or configuration: the first
 * is the usual one. NULL: what is said there depends on the host and is not looked at.
 */
struct attack {
	const char *what;	/* in the words of the test's name */
	const char *name, *arg; /* the inmate's attempt */
	const char *bare;	/* no filter, files allowed, uid 0 of the namespace */
	const char *filtered;	/* under the filter of `quod exec`; files allowed */
	const char
		*no_files; /* no filter, not one descriptor allowed, as in a real run */
};

/* Tries each, and under the filter of quod-js as well what the other filter refuses. */
void attacks_try(const char *class, const struct attack *attacks, size_t count);

/* Puts the filter of `quod exec` on a specification, or that of quod-js. */
void put_exec_filter(struct jail_spec *spec);
void put_js_filter(struct jail_spec *spec);

/* Is the word one of those, which are separated by spaces? */
bool is_among(const char *words, const char *word);

/* What became of an attempt: "ok", an errno, or the signal it died of. Static. */
const char *attempt_outcome(const struct outcome *outcome, const char *name);

/* The specification of a bare jail: every wall that can be switched off is off, and the
 * guest is uid 0 of its namespace. */
struct jail_spec bare_spec(const char *name, const char *arg);

/* Root of a new user namespace (and of what else is in the flags), as an unprivileged
 * process can be. */
bool become_namespace_root(int flags);

/* What remember_programs() has seen of quod-js and the inmate is still so. */
void remember_programs(void);
void check_programs(void);

/* The classes, in the order of the table in attacks.c. */
void attack_host_program(void);
void attack_descriptors(void);
void attack_from_chroot(void);
void attack_terminal(void);
void attack_setup_by_symlink(void);
void attack_written_files(void);
void attack_network(void);
void attack_set_ids(void);
void attack_groups(void);
void attack_setup_from_outside(void);
void attack_numbers(void);
void attack_wide_numbers(void);
void attack_writable_inside(void);
void attack_foreign_abi(void);
void attack_kernel_surface(void);
void attack_capabilities(void);
void attack_core_dumps(void);
void attack_supervisor(void);
void attack_ids(void);
void attack_case_ids(void);

#endif
