/* SPDX-License-Identifier: MIT */
/*
 * Whose word a policy file is.
 */
#ifndef QUOD_TRUST_H
#define QUOD_TRUST_H

#include <sys/stat.h>

/* NULL, or why nobody else may tell this root what is allowed: from owner and mode. */
const char *trust_judge(const struct stat *st);

/* For root: judges the file that is open. For others, who could do without the policy as
 * well: NULL. */
const char *trust_file(int fd);

/* The same for a directory in which policies are looked for: whoever writes it chooses
 * which file of root's is read. */
const char *trust_directory(int fd);

#endif
