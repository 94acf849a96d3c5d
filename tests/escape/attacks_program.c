/* SPDX-License-Identifier: MIT */
/*
 * quod itself as the one attacked: by its command line, by the bits of its file, by the
 * id of a run, by a guest that floods it or dies in a way that leaves a dump.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/own.h"
#include "tests/escape/attacks.h"
#include "tests/escape/outside.h"
#include "tests/escape/programs.h"

/* Nothing that is built asks for more than its caller has. */
void attack_set_ids(void)
{
	static const char *const names[] = {"quod", "quod-js", "quod-scope",
					    ".libs/libjail.so"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct stat file;
		char caps[64];
		const char *path = built(names[i]);
		if (stat(path, &file) < 0 && errno == ENOENT && i >= 2)
			continue; /* not in every build, nor in the copy for nobody */
		check(stat(path, &file) == 0 && !(file.st_mode & (S_ISUID | S_ISGID)),
		      "front end: %s has no setuid or setgid bit", names[i]);
		check(getxattr(path, "security.capability", caps, sizeof(caps)) < 0,
		      "front end: %s has no file capability", names[i]);
	}
}

/* A number is what it says or it is refused: never another one. */
static const struct {
	const char *command, *option, *unit, *good;
} numeric[] = {
	{"run", "--timeout", "s", "2s"},  {"run", "--timeout", "ms", "1500ms"},
	{"run", "--memory", "M", "16M"},  {"run", "--memory", "K", "8192K"},
	{"run", "--seed", "", "1"},	  {"run", "--now", "", "1"},
	{"exec", "--timeout", "s", "2s"}, {"exec", "--memory", "M", "16M"},
};

static int run_with(size_t row, const char *word)
{
	const char *const run[] = {built("quod"), "run", numeric[row].option, word, "-e",
				   "1",		  NULL};
	const char *const exec[] = {built("quod"), "exec", numeric[row].option,
				    word,	   "--",   inmate_path(),
				    "exit",	   "0",	   NULL};

	return program_run(strcmp(numeric[row].command, "run") ? exec : run)->code;
}

/* @ stands for the unit. */
static void put_unit(char *to, size_t size, const char *pattern, const char *unit)
{
	size_t before = strcspn(pattern, "@");

	snprintf(to, size, "%.*s%s%s", (int)before, pattern, unit, pattern + before + 1);
}

/* How many of the words are not refused as misuse. 2 would be the program's of exec. */
static int count_taken(size_t row, const char *const *patterns, size_t count)
{
	int taken = 0, refused = strcmp(numeric[row].command, "exec") ? 2 : 125;

	for (size_t i = 0; i < count; i++) {
		char word[128];
		put_unit(word, sizeof(word), patterns[i], numeric[row].unit);
		int code = run_with(row, word);
		taken += code != refused;
		if (code != refused)
			note("'%s' gave exit code %d", word, code);
	}
	return taken;
}

void attack_numbers(void)
{
	/* What must not be taken for 1, nor for any other number. */
	static const char *const odd[] = {
		"01@",
		" 1@",
		"1:@",
		"1 @",
		"+1@",
		"0x1@",
		"1e0@",
		"1.0@",
		"1,@",
		"@",
		"-@",
		"\t1@",
		"1@\n",
		"1@!",
		"1@@1",
		"\xd9\xa1@",
		"18446744073709551617@",		    /* 2^64 + 1 */
		"340282366920938463463374607431768211457@", /* 2^128 + 1 */
	};
	/* Numbers, but beyond every policy: -1, 2^32 and 2^32 + 1. Without a unit, good.
	 */
	static const char *const far[] = {"-1@", "4294967296@", "4294967297@"};

	for (size_t row = 0; row < ARRAY_LEN(numeric); row++) {
		const char *command = numeric[row].command, *option = numeric[row].option,
			   *unit = numeric[row].unit;
		check(count_taken(row, odd, ARRAY_LEN(odd)) == 0,
		      "numbers: %s %s: what is no number, unit '%s': refused", command,
		      option, unit);
		if (*unit)
			check(count_taken(row, far, ARRAY_LEN(far)) == 0,
			      "numbers: %s %s: -1, 2^32, 2^32+1, unit '%s': refused",
			      command, option, unit);
		check(run_with(row, numeric[row].good) == 0, "numbers: %s %s %s is taken",
		      command, option, numeric[row].good);
	}
}

static void value_is(const char *option, const char *word, const char *code,
		     const char *wanted)
{
	const char *const argv[] = {built("quod"), "run", option, word, "-e", code, NULL};
	const struct said *said = program_run(argv);

	if (!check(said->code == 0 && !strncmp(said->out, wanted, strlen(wanted)),
		   "numbers: run %s %s means %s", option, word, word))
		note("exit code %d: %s%s", said->code, said->out, said->err);
}

/* Wide numbers are not cut to 32 bits on their way inside. */
void attack_wide_numbers(void)
{
	char first[64];
	const char *const one[] = {built("quod"), "run",	   "--seed", "1",
				   "-e",	  "Math.random()", NULL};
	const char *const cut[] = {built("quod"), "run",	   "--seed", "4294967297",
				   "-e",	  "Math.random()", NULL};

	value_is("--now", "4294967297", "Date.now()", "4294967297\n");
	value_is("--now", "9223372036854", "Date.now()", "9223372036854\n");
	snprintf(first, sizeof(first), "%.60s", program_run(one)->out);
	check(*first && strncmp(first, program_run(cut)->out, 60) != 0,
	      "numbers: run --seed 4294967297 is not --seed 1");
}

/* A run's id becomes the name of a directory. */
static bool is_id_refused(const char *id)
{
	struct jail_spec spec = inmate_spec("exit", "0");

	spec.id = id;
	struct outcome outcome = run_spec(&spec);
	return outcome.r == -EINVAL && outcome.err.stage == JAIL_STAGE_SPEC;
}

static bool is_id_taken(const char *id)
{
	struct jail_spec spec = inmate_spec("exit", "0");

	spec.id = id;
	struct outcome outcome = run_spec(&spec);
	return outcome.r == 0;
}

static void ids_at_random(void)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_-";
	unsigned seed = 20260102;
	int wrong = 0, refused = 0;

	for (int i = 0; i < 3000; i++) {
		char id[80];
		size_t len = (size_t)rand_r(&seed) % 70;
		for (size_t k = 0; k < len; k++)
			id[k] = rand_r(&seed) % 16 ? plain[(size_t)rand_r(&seed) % 64]
						   : (char)(1 + rand_r(&seed) % 255);
		id[len] = '\0';
		if (len >= 1 && len <= 64 && strspn(id, plain) == len)
			continue;
		refused++;
		wrong += !is_id_refused(id);
	}
	check(wrong == 0 && refused > 1000,
	      "path through an id: %d random ids that are not plain: EINVAL", refused);
}

void attack_ids(void)
{
	static const char *const bad[] = {
		NULL,	 "",	     ".",     "..",   "../..", "a/b", "/",
		"/etc",	 "a/",	     "a.b",   "a b",  "a\n",   "\n",  "a\tb",
		"a\x7f", "\xc3\xa4", "a%2fb", "a\\b", "$HOME", "*",   "cgroup.procs"};
	char longest[66];

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		check(is_id_refused(bad[i]), "path through an id: number %zu: EINVAL", i);
	memset(longest, 'x', sizeof(longest));
	longest[65] = '\0';
	check(is_id_refused(longest), "path through an id: 65 characters: EINVAL");
	longest[64] = '\0';
	check(is_id_taken(longest), "path through an id: 64 are taken");
	check(is_id_taken("-"), "path through an id: a dash is taken");
	ids_at_random();
}

/* The ids of cases are the caller's own and go into the record, nowhere else. */
void attack_case_ids(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[256];
	static const char cases[] =
		"{\"id\":\"../../../../../../tmp/quod-canary\",\"input\":1}\n"
		"{\"id\":\"/etc/quod-canary\",\"input\":1}\n"
		"{\"id\":\"..\\n{}\",\"input\":1}\n";

	snprintf(path, sizeof(path), "%s/quod-cases-%d", tmp ? tmp : "/tmp",
		 (int)getpid());
	own_fd int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (!check(fd >= 0 && write(fd, cases, sizeof(cases) - 1) > 0,
		   "path through an id: cases"))
		return;
	const char *const argv[] = {built("quod"), "run", "-o",	   "json", "--cases",
				    path,	   "-e",  "input", NULL};
	const struct said *said = program_run(argv);
	check(said->code == 0 && strstr(said->out, "quod-canary"),
	      "path through an id: odd ids of cases come back in their records");
	check(access("/tmp/quod-canary", F_OK) < 0 &&
		      access("/etc/quod-canary", F_OK) < 0,
	      "path through an id: and name nothing on the host");
	unlink(path);
}

/* clang-format off */
static const struct attack on_dumps[] = {
	{"RLIMIT_CORE raised",	"raise-core-limit", "", "EPERM", "ENOSYS", NULL},
};
/* clang-format on */

static void look_at_core_limit(const char *what, long pid)
{
	static char text[8192];
	unsigned soft = 99, hard = 99;
	const char *at = proc_text(pid, "limits", text, sizeof(text))
				 ? strstr(text, "Max core file size")
				 : NULL;

	if (at && sscanf(at, "Max core file size %u %u", &soft, &hard) != 2)
		soft = 99;
	/* Less than 1 only where the caller had less. */
	check(soft == hard && soft <= 1, "core dumps: %s: RLIMIT_CORE is %u", what, soft);
}

static long count_files(const char *path)
{
	long count = 0;
	DIR *dir = opendir(path);

	for (struct dirent *e; dir && (e = readdir(dir));)
		count += e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return count;
}

static void abort_leaves_nothing(void)
{
	char path[64] = "quod-dump-XXXXXX";
	const char *tmp = getenv("TMPDIR");

	if (!check(chdir(tmp ? tmp : "/tmp") == 0 && mkdtemp(path) && chdir(path) == 0,
		   "core dumps: an empty directory to die in"))
		return;
	struct outcome outcome = run_inmate("abort", "");
	check(outcome.result.end == JAIL_SIGNALED, "core dumps: the guest aborts");
	check(count_files(".") == 0, "core dumps: no file of it");
	if (chdir("..") < 0 || rmdir(path) < 0)
		note("%s stays", path);
}

void attack_core_dumps(void)
{
	const char *const argv[] = {built("quod"), "run", "-e",
				    "console.log('ready=1'); for (;;);", NULL};
	struct running running;

	attacks_try("core dumps", on_dumps, ARRAY_LEN(on_dumps));
	struct jail_spec spec = bare_spec("pause", "");
	struct jail *jail = start_ready(&spec);
	if (jail)
		look_at_core_limit("a bare jail", jail_pid(jail));
	jail_free(jail);
	check_apart("core dumps", abort_leaves_nothing);
	if (!program_start(argv, "ready=1", false, &running))
		return;
	look_at_core_limit("quod-js", running.guest);
	outside_undumpable("core dumps: quod-js", running.guest);
	program_stop(&running);
}
