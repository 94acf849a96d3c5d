/* SPDX-License-Identifier: MIT */
/*
 * A static program that exhausts memory, in the way that its argument names, until it is
 * killed; each way is charged to the cgroup by another path of the kernel. Whoever comes
 * to the end of his way says so with exit status 90 and up: nothing held him.
 *
 * What a way cannot use up alone (a stack has its own limit, a process can have only so
 * many mappings) is what is left of the least limit, 11 MiB, by PART.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MIB    (1ul << 20)
#define PART   (4 * MIB)
#define MOST   (64 * MIB)
#define PAGE   4096ul
#define ENOUGH 60000

static char *map(size_t size, int prot, int flags)
{
	char *p = mmap(NULL, size, prot, flags | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(91);
	return p;
}

static void fill(size_t size, int flags)
{
	memset(map(size, PROT_READ | PROT_WRITE, flags), 1, size);
}

static void go_touch(void)
{
	for (size_t at = 0; at < MOST; at += MIB)
		fill(MIB, MAP_PRIVATE);
}

static void go_shared(void)
{
	for (size_t at = 0; at < MOST; at += MIB)
		fill(MIB, MAP_SHARED);
}

static void go_small(void)
{
	for (size_t at = 0; at < MOST; at += 128) {
		volatile char *p = malloc(100);
		if (!p)
			_exit(92);
		p[0] = 1;
	}
}

static void go_realloc(void)
{
	char *p = NULL;

	for (size_t size = PAGE; size <= MOST; size *= 2) {
		p = realloc(p, size);
		if (!p)
			_exit(92);
		memset(p, 1, size);
	}
}

/* Not by sbrk(), which a libc may refuse. */
static void go_brk(void)
{
	char *end = (char *)syscall(SYS_brk, 0);

	for (size_t at = 0; at < MOST; at += MIB, end += MIB) {
		if ((char *)syscall(SYS_brk, end + MIB) != end + MIB)
			_exit(93);
		memset(end, 1, MIB);
	}
}

static int go_deeper(int depth)
{
	volatile char frame[PAGE];

	frame[0] = (char)depth;
	return depth <= 0 ? 0 : go_deeper(depth - 1) + frame[0];
}

static void go_stack(void)
{
	fill(PART, MAP_PRIVATE);
	_exit(go_deeper((int)(MOST / PAGE)) ? 94 : 90);
}

/* Each page that is read is the same page of zeros, but for each 2 MiB a table is made.
 */
static void go_tables(void)
{
	const size_t far = 1ul << 36;
	volatile char *p = map(far, PROT_READ, MAP_PRIVATE | MAP_NORESERVE);

	madvise((void *)(uintptr_t)p, far, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < far; at += 2 * MIB)
		(void)p[at];
}

static void go_mremap(void)
{
	char *p = map(MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE);

	for (size_t size = MIB; size < MOST; size += MIB) {
		p = mremap(p, size, size + MIB, MREMAP_MAYMOVE);
		if (p == MAP_FAILED)
			_exit(91);
		memset(p + size, 1, MIB);
	}
}

/* Neighbours of different protection: each has a structure of its own in the kernel. */
static void go_maps(void)
{
	fill(2 * PART, MAP_PRIVATE);
	fill(MIB, MAP_PRIVATE);
	for (int i = 0; i < ENOUGH; i++)
		map(PAGE, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE);
}

static void go_bss(void)
{
	static char bss[MOST];

	for (size_t at = 0; at < MOST; at += PAGE)
		((volatile char *)bss)[at] = 1;
}

/* Not one process has too much, all together have; only without a filter. */
static void go_tree(void)
{
	for (int i = 0; i < 16; i++)
		if (fork() == 0) {
			fill(PART, MAP_PRIVATE);
			for (;;)
				pause();
		}
	for (;;)
		pause();
}

/* Grows to what pids.max allows and goes on trying; deaf to all but SIGKILL. */
static void go_bomb(void)
{
	if (write(1, "ready=1\n", 8) != 8)
		_exit(95);
	for (;;)
		fork();
}

static void go_spin(void)
{
	if (write(1, "ready=1\n", 8) != 8)
		_exit(95);
	for (;;)
		continue;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*go)(void);
	} ways[] = {
		{"touch", go_touch},	 {"shared", go_shared}, {"small", go_small},
		{"realloc", go_realloc}, {"brk", go_brk},	{"stack", go_stack},
		{"tables", go_tables},	 {"mremap", go_mremap}, {"maps", go_maps},
		{"bss", go_bss},	 {"tree", go_tree},	{"bomb", go_bomb},
		{"spin", go_spin},
	};

	for (size_t i = 0; argc >= 2 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (strcmp(argv[1], ways[i].name) == 0) {
			ways[i].go();
			return 90;
		}
	return 98;
}
