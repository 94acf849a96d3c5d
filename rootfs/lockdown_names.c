/* SPDX-License-Identifier: MIT */
#include "rootfs/lockdown_names.h"

#include <string.h>

bool lockdown_has(const struct lockdown_names *names, const char *name, size_t n)
{
	const char *end = names->list + names->len;

	for (const char *at = names->list, *stop; at < end; at = stop + 1) {
		stop = memchr(at, ' ', (size_t)(end - at));
		if (!stop)
			stop = end;
		if ((size_t)(stop - at) == n && !memcmp(at, name, n))
			return true;
	}
	return false;
}

bool lockdown_keeps(const struct lockdown_names *names, const char *name, size_t n)
{
	static const struct lockdown_names constants = {"undefined NaN Infinity", 22};

	return lockdown_has(names, name, n) || lockdown_has(&constants, name, n);
}
