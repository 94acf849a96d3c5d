/* SPDX-License-Identifier: MIT */
/*
 * The supervisor as victim of what it reads. Frames that are forged, cut or contradict
 * each other are in tests/integration/interpreter.sh and tests/fuzz/fuzz_frames.c; logs
 * without an end and their memory in limits.sh; what a terminal would obey in hostile.sh.
 * Here it is the pipe: guests that are native code, under `quod exec`, and the pipe's own
 * properties with the filter off.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/attacks.h"
#include "tests/escape/programs.h"

static const struct said *exec_inmate(const char *timeout, const char *what,
				      const char *arg)
{
	const char *const argv[] = {built("quod"), "exec", "--timeout", timeout, "--",
				    inmate_path(), what,   arg,		NULL};

	return program_run(argv);
}

/* A run that only its deadline ends, which comes whatever is in the pipe. */
static void ends_by_deadline(const char *what)
{
	const struct said *said = exec_inmate("500ms", what, "");

	if (!check(said->code == 124, "supervisor as victim: %s: timeout, 124", what))
		note("exit code %d: %.200s", said->code, said->err);
}

static void test_floods(void)
{
	ends_by_deadline("flood");
	ends_by_deadline("flood-both");
	ends_by_deadline("fill-and-spin");
	ends_by_deadline("close-and-spin");
	const struct said *said = exec_inmate("5s", "drip", "20000");
	check(said->code == 0 && strspn(said->out, "x") == 20000,
	      "supervisor as victim: 20000 writes of one byte: each arrives");
	said = exec_inmate("5s", "all-bytes", "");
	bool same = said->code == 0;
	for (int i = 0; i < 256; i++)
		same = same && (unsigned char)said->out[i] == i;
	check(same,
	      "supervisor as victim: every byte there is goes through a pipe as it is");
}

static void test_pipe(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	/* clang-format off */
	const struct attack attacks[] = {
		{"signals for it to the supervisor", "own-by", pid,	"ESRCH", "ENOSYS", NULL},
		{"its output read back",	"read-own-output", "",	"EBADF", "EBADF", NULL},
		{"its input written",		"write-own-input", "",	"EBADF", "EBADF", NULL},
		{"O_ASYNC on its own end",	"give-itself-signals", "", "ok", "ENOSYS", NULL},
		{"O_DIRECT on its own end",	"make-packets", "",	"ok",	"ENOSYS", NULL},
		{"pages in place of bytes",	"give-pages", "",	"ok",	"ENOSYS", NULL},
		{"a pipe of a megabyte",	"enlarge-pipe", "1048576", NULL, "ENOSYS", NULL},
	};
	/* clang-format on */

	attacks_try("supervisor as victim", attacks, ARRAY_LEN(attacks));
}

void attack_supervisor(void)
{
	test_floods();
	test_pipe();
}
