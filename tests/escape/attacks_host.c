/* SPDX-License-Identifier: MIT */
/*
 * The host's own things: the program that runs in the jail, descriptors and directories
 * that the caller had open, files that somebody may read later.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"
#include "tests/escape/attacks.h"
#include "tests/escape/outside.h"
#include "tests/escape/programs.h"

#define PROGRAM_MOST (64u << 20)

/* clang-format off */
static const struct attack on_program[] = {
	{"/proc/self/exe for writing",	"open-to-write", "/proc/self/exe", "ENOENT", "ENOSYS", NULL},
	{"/proc/self/exe for reading",	"open-to-read", "/proc/self/exe", "ENOENT", "ENOSYS", NULL},
	{"a descriptor of it",		"find-descriptor", "",	"EBADF", NULL,	"EBADF"},
	{"a handle of it",		"open-by-handle", "",	"EPERM", "SIGSYS", NULL},
	{"another file in its place",	"replace-own-program", "", "EPERM", "ENOSYS", NULL},
	{"its pages, which are copies",	"change-own-program", "", "ok",	"ENOSYS", NULL},
};

static const struct attack on_descriptors[] = {
	{"any descriptor but 0, 1, 2",	"find-descriptor", "",	"EBADF", NULL,	"EBADF"},
	{"a directory by descriptor",	"find-directory", ".",	"EBADF", "ENOSYS", NULL},
	{"out by the current directory", "leave-by-cwd", "../../../../../../../../etc/passwd",
								"ENOENT", NULL, NULL},
	{"the same, as a directory",	"leave-by-cwd", "../../../../../../../../proc",
								"ENOENT", NULL, NULL},
};

static const struct attack on_files[] = {
	{"a file",			"create", "/x",		"EROFS", "ENOSYS", "EROFS EMFILE"},
	{"a file in /tmp",		"create", "/tmp/x",	"ENOENT", "ENOSYS", "ENOENT EMFILE"},
	{"a file in /dev/shm",		"create", "/dev/shm/x",	"ENOENT", "ENOSYS", "ENOENT EMFILE"},
	{"a file above the root",	"create", "/../x",	"EROFS", "ENOSYS", "EROFS EMFILE"},
	{"a file without a name",	"open-nameless", "/",	"EROFS", "ENOSYS", "EROFS EMFILE"},
	{"a directory",			"mkdir", "/d",		"EROFS", "ENOSYS", NULL},
	{"a fifo",			"mkfifo", "/f",		"EROFS", "ENOSYS", NULL},
	{"a device",			"mknod", "/null",	"EROFS EPERM", "ENOSYS", NULL},
	{"a symbolic link",		"symlink", "/passwd",	"EROFS", "ENOSYS", NULL},
	{"a link",			"link", "/l",		"EROFS EPERM", "ENOSYS", NULL},
	{"another name",		"rename", "/other",	"EROFS", "ENOSYS", NULL},
	{"one name less",		"unlink", "/x",		"EROFS ENOENT", "ENOSYS", NULL},
	{"a shorter root",		"truncate", "/",	"EISDIR", "ENOSYS", NULL},
	{"the mode of the root",	"chmod", "/",		"EROFS", "ENOSYS", NULL},
	{"the owner of the root",	"chown", "/",		"EROFS", "ENOSYS", NULL},
	{"the times of the root",	"utimes", "/",		"EROFS", "ENOSYS", NULL},
	{"an attribute of the root",	"setxattr-user", "/",	"EROFS", "ENOSYS", NULL},
	{"a label of the root",		"setxattr-security", "/", "EROFS", "ENOSYS", NULL},
	{"a socket",			"bind-path", "/s",	"EROFS", "SIGSYS", "EMFILE"},
	{"a file in memory",		"write-in-memory", "x",	"EFBIG", "SIGSYS", "EMFILE"},
};
/* clang-format on */

/* The programs as they were before anything hostile ran. */
static struct remembered {
	char path[4096];
	char *data;
	size_t len;
	struct stat stat;
} programs[2];

static bool read_program(const char *path, char **ret_data, size_t *ret_len,
			 struct stat *ret_stat)
{
	return file_read_at(AT_FDCWD, path, PROGRAM_MOST, ret_data, ret_len) == 0 &&
	       stat(path, ret_stat) == 0;
}

void remember_programs(void)
{
	const char *build = getenv("QUOD_TEST_BUILD");

	snprintf(programs[0].path, sizeof(programs[0].path), "%s", inmate_path());
	snprintf(programs[1].path, sizeof(programs[1].path), "%s/quod-js",
		 build ? build : ".");
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (!read_program(programs[i].path, &programs[i].data, &programs[i].len,
				  &programs[i].stat))
			check(false, "host program: '%s' can be read", programs[i].path);
}

/* The interpreter has seen hostile scripts too before it is looked at. */
static void run_hostile_scripts(void)
{
	static const char *const names[] = {"escape-process.js", "escape-prototype.js",
					    "hostile-getter.js", "memory-hog.js",
					    "log-flood.js",	 "infinite-loop.js"};
	const char *source = getenv("QUOD_TEST_SOURCE");
	bool all = true;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char path[4096];
		snprintf(path, sizeof(path), "%s/examples/%s", source ? source : ".",
			 names[i]);
		const char *const argv[] = {built("quod"), "run",   "-o", "json",
					    "--timeout",   "200ms", "-p", "open",
					    path,	   NULL};
		int code = program_run(argv)->code;
		all = all && code >= 0 && code != 2 && code != 125;
	}
	check(all, "host program: hostile scripts ran");
}

void check_programs(void)
{
	run_hostile_scripts();
	for (size_t i = 0; i < ARRAY_LEN(programs); i++) {
		const struct remembered *old = &programs[i];
		own_free char *data = NULL;
		size_t len = 0;
		struct stat now;
		bool same = read_program(old->path, &data, &len, &now) &&
			    len == old->len && memcmp(data, old->data, len) == 0;
		check(same,
		      "host program: not a byte of %s has changed after all of this",
		      strrchr(old->path, '/') + 1);
		check(same && now.st_mtime == old->stat.st_mtime &&
			      now.st_ino == old->stat.st_ino &&
			      now.st_mode == old->stat.st_mode &&
			      now.st_uid == old->stat.st_uid,
		      "host program: nor its times, mode, owner");
	}
}

void attack_host_program(void)
{
	attacks_try("host program", on_program, ARRAY_LEN(on_program));
}

/* Everything that a careless caller may have open, inheritable, also at the highest
 * number that there can be. */
static void open_junk(void)
{
	struct rlimit limit;
	int pair[2];
	const int kinds[] = {open("/", O_RDONLY),
			     open("/", O_PATH),
			     open("/etc/passwd", O_RDONLY),
			     open("/proc/self", O_RDONLY | O_DIRECTORY),
			     open("/proc/self/ns/user", O_RDONLY),
			     open(inmate_path(), O_RDONLY),
			     open("/dev/null", O_RDWR),
			     memfd_create("junk", 0),
			     epoll_create1(0),
			     socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 ? -1
									   : pair[0]};

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1 << 16) {
		limit.rlim_cur = limit.rlim_max < 1 << 16 ? limit.rlim_max : 1 << 16;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	int most = limit.rlim_cur < 1 << 16 ? (int)limit.rlim_cur : 1 << 16;
	const int places[] = {3, 4, 9, 63, 64, 100, 255, 256, 1000, 1023, most - 1};
	bool all = true;
	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
			int at = places[i] + (int)k;
			/* Not over what libc or the harness has there. */
			if (at < most && fcntl(at, F_GETFD) < 0)
				all = dup2(kinds[k], at) == at && all;
		}
	check(all, "leaked descriptor: a caller with junk open from 3 to %d", most - 1);
}

/* quod itself is the careless one's child. */
static void quod_with_junk(const char *const *argv, const char *what)
{
	struct running running;

	if (!program_start(argv, "ready=1", false, &running))
		return;
	outside_descriptors(what, running.guest);
	program_stop(&running);
}

static void quods_with_junk(void)
{
	const char *const exec[] = {built("quod"), "exec",  "--",
				    inmate_path(), "pause", NULL};
	const char *const run[] = {built("quod"), "run", "-e",
				   "console.log('ready=1'); for (;;);", NULL};

	quod_with_junk(exec, "leaked descriptor: quod exec with all of them");
	quod_with_junk(run, "leaked descriptor: quod run with all of them");
}

static void from_everywhere(void)
{
	char gone[] = "quod-gone-XXXXXX";
	const char *tmp = getenv("TMPDIR");
	own_fd int outside = open("/usr", O_RDONLY | O_DIRECTORY);

	open_junk();
	attacks_try("leaked descriptor", on_descriptors, ARRAY_LEN(on_descriptors));
	quods_with_junk();
	check(fchdir(outside) == 0,
	      "leaked cwd: the caller stands in a directory by descriptor");
	attacks_try("leaked cwd", on_descriptors, ARRAY_LEN(on_descriptors));
	bool stands = chdir(tmp ? tmp : "/tmp") == 0 && mkdtemp(gone) &&
		      chdir(gone) == 0 &&
		      rmdir(strcat(strcpy((char[64]){0}, "../"), gone)) == 0;
	check(stands, "leaked cwd: the caller stands in a directory that is gone");
	attacks_try("leaked cwd", on_descriptors, ARRAY_LEN(on_descriptors));
}

void attack_descriptors(void)
{
	check_apart("leaked descriptor", from_everywhere);
}

void attack_written_files(void)
{
	attacks_try("written file", on_files, ARRAY_LEN(on_files));
	struct jail_spec spec = bare_spec("pause", "");
	struct jail *jail = start_ready(&spec);
	if (!jail)
		return;
	outside_descriptors("written file: results go over pipes alone", jail_pid(jail));
	jail_free(jail);
}

static void nothing_is_writable(const char *what, long pid)
{
	outside_mounts(what, pid);
	outside_memory(what, pid);
}

void attack_writable_inside(void)
{
	const char *const argv[] = {built("quod"), "run", "-e",
				    "console.log('ready=1'); for (;;);", NULL};
	struct jail_spec spec = bare_spec("pause", "");
	struct jail *jail = start_ready(&spec);
	struct running running;

	if (jail)
		nothing_is_writable("writable inside: a bare jail", jail_pid(jail));
	jail_free(jail);
	if (!program_start(argv, "ready=1", false, &running))
		return;
	nothing_is_writable("writable inside: quod-js", running.guest);
	outside_descriptors("writable inside: quod-js", running.guest);
	program_stop(&running);
}
