/* SPDX-License-Identifier: MIT */
/*
 * Crockford's base 32 has no I, L, O, U: an id can be read out. 128 bits in 26 digits of
 * five bits leave the first two bits zero.
 */
#include "supervisor/runid.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

void runid_format(int64_t ms, const unsigned char random[10], char id[RUNID_LEN + 1])
{
	unsigned __int128 bits = (uint64_t)ms & 0xffffffffffffull;

	for (int i = 0; i < 10; i++)
		bits = bits << 8 | random[i];
	for (int i = RUNID_LEN - 1; i >= 0; i--, bits >>= 5)
		id[i] = digits[(unsigned)bits & 31];
	id[RUNID_LEN] = '\0';
}

int runid_make(int64_t ms, char id[RUNID_LEN + 1])
{
	unsigned char random[10];

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -errno;
	runid_format(ms, random, id);
	return 0;
}

bool runid_is_valid(const char *id)
{
	return strlen(id) == RUNID_LEN && strspn(id, digits) == RUNID_LEN && id[0] <= '7';
}
