/* SPDX-License-Identifier: MIT */
/*
 * How many namespaces of a kind exist that were made below our own user namespace,
 * whoever still holds them: exact, unlike everything that can be listed.
 */
#ifndef QUOD_TESTS_CHARGED_H
#define QUOD_TESTS_CHARGED_H

#include <stdbool.h>
#include <stdint.h>

/* kind: "net", "mnt", "pid", "ipc", "uts", "user" or "cgroup". False: it cannot be known,
 * because we are not root in a user namespace of our own. */
bool charged_read(const char *kind, uint64_t *ret);

#endif
