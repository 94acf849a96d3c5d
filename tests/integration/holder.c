/* SPDX-License-Identifier: MIT */
/*
 * holder WAY: takes all the memory it can get that way, 600 MiB at most, says what ended
 * it and then holds what it has, so that it can be looked at from outside.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MIB	 ((size_t)1 << 20)
#define GIB	 ((size_t)1 << 30)
#define PAGE	 4096u
#define MOST_MIB 600u
#define FAR	 ((char *)(GIB * 1024))
#define FAR_MOST 60000u

static void *map(size_t size, int prot, int flags)
{
	void *p = mmap(NULL, size, prot, flags | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Piece by piece, so that as much as possible is taken before one is refused. */
static int fill(int flags, int prot_after)
{
	for (size_t i = 0; i < MOST_MIB; i++) {
		char *p = map(MIB, PROT_READ | PROT_WRITE, flags);

		if (!p)
			return errno;
		memset(p, 1, MIB);
		if (prot_after >= 0 && mprotect(p, MIB, prot_after) < 0)
			return errno;
	}
	return 0;
}

static int take_private(void)
{
	return fill(MAP_PRIVATE, -1);
}

static int take_shared(void)
{
	return fill(MAP_SHARED, -1);
}

static int take_stack(void)
{
	return fill(MAP_PRIVATE | MAP_GROWSDOWN, -1);
}

static int take_huge(void)
{
	return map(2 * MIB, PROT_READ, MAP_PRIVATE | MAP_HUGETLB) ? 0 : errno;
}

static int take_huge_shared(void)
{
	return map(2 * MIB, PROT_READ, MAP_SHARED | MAP_HUGETLB) ? 0 : errno;
}

/* What is not writable any more does not count as data. */
static int take_protected(void)
{
	return fill(MAP_PRIVATE, PROT_READ);
}

static int take_hidden(void)
{
	return fill(MAP_PRIVATE, PROT_NONE);
}

static int take_break(void)
{
	for (size_t i = 0; i < MOST_MIB; i++) {
		char *p = sbrk((intptr_t)MIB);

		if ((intptr_t)p == -1)
			return errno;
		memset(p, 1, MIB);
	}
	return 0;
}

static int take_moved(void)
{
	char *p = map(MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE);

	if (!p)
		return errno;
	for (size_t size = MIB; size < MOST_MIB * MIB; size += MIB) {
		char *grown = mremap(p, size, size + MIB, MREMAP_MAYMOVE);

		if (grown == MAP_FAILED)
			return errno;
		p = grown;
		memset(p + size, 1, MIB);
	}
	return 0;
}

/* The page is zero and everybody's; the tables that lead to it are not. */
static int take_tables(void)
{
	for (size_t size = 300 * GIB; size >= MIB; size /= 2) {
		volatile char *p = map(size, PROT_READ, MAP_PRIVATE | MAP_NORESERVE);

		for (size_t at = 0; p && at < size; at += 2 * MIB)
			(void)p[at];
		if (p)
			return 0;
	}
	return errno;
}

/* One page in each GiB has two tables of its own. */
static int take_far(void)
{
	for (size_t i = 0; i < FAR_MOST; i++) {
		volatile char *p =
			mmap(FAR + i * GIB, PAGE, PROT_READ,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		if (p == MAP_FAILED)
			return errno;
		(void)*p;
	}
	return 0;
}

static const struct {
	const char *name;
	int (*take)(void);
} ways[] = {
	{"private", take_private},
	{"shared", take_shared},
	{"grows-down", take_stack},
	{"huge", take_huge},
	{"huge-shared", take_huge_shared},
	{"protected", take_protected},
	{"hidden", take_hidden},
	{"break", take_break},
	{"moved", take_moved},
	{"tables", take_tables},
	{"far", take_far},
};

int main(int argc, char **argv)
{
	const struct timespec long_enough = {.tv_sec = 3600};

	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			printf("ended by %s\n", strerrorname_np(ways[i].take()));
			fflush(stdout);
			nanosleep(&long_enough, NULL);
			return 0;
		}
	return 2;
}
