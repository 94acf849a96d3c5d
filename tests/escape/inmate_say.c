/* SPDX-License-Identifier: MIT */
/* How the inmate says what came of a try. */
#include "tests/escape/inmate.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

void say(const char *name, const char *value)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "%s=%s\n", name, value);

	if (write(1, line, (size_t)n) != n)
		_exit(99);
}

void say_number(const char *name, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	say(name, text);
}

/* libc's own names would do, but strerrorname_np is glibc's alone. */
#define NAMED(number)           \
	{                       \
		number, #number \
	}
/* clang-format off */
static const struct {
	int number;
	const char *name;
} names[] = {
	NAMED(EPERM), NAMED(ENOENT), NAMED(ESRCH), NAMED(ENXIO), NAMED(EBADF), NAMED(ECHILD),
	NAMED(EAGAIN), NAMED(ENOMEM), NAMED(EACCES), NAMED(EFAULT), NAMED(EBUSY), NAMED(EEXIST),
	NAMED(EXDEV), NAMED(ENODEV), NAMED(ENOTDIR), NAMED(EISDIR), NAMED(EINVAL), NAMED(EMFILE),
	NAMED(ENOTTY), NAMED(EFBIG), NAMED(ENOSPC), NAMED(ESPIPE), NAMED(EROFS), NAMED(EPIPE),
	NAMED(ENOSYS), NAMED(ELOOP), NAMED(ENOMSG), NAMED(ENODATA), NAMED(EOVERFLOW),
	NAMED(EUSERS), NAMED(ENOTSOCK), NAMED(EPROTONOSUPPORT), NAMED(ESOCKTNOSUPPORT),
	NAMED(EOPNOTSUPP), NAMED(EAFNOSUPPORT), NAMED(EADDRINUSE), NAMED(EADDRNOTAVAIL),
	NAMED(ENETDOWN), NAMED(ENETUNREACH), NAMED(ECONNRESET), NAMED(ENOTCONN),
	NAMED(ETIMEDOUT), NAMED(ECONNREFUSED), NAMED(EHOSTUNREACH), NAMED(ENOKEY),
	NAMED(EKEYREVOKED), NAMED(EDQUOT),
};
/* clang-format on */

/* "ok" or the errno's name; its number where it has none here. */
void say_result(const char *name, long r)
{
	int number = errno;

	if (r >= 0) {
		say(name, "ok");
		return;
	}
	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i].number == number) {
			say(name, names[i].name);
			return;
		}
	say_number(name, number);
}

long failed_with(int errnum)
{
	errno = errnum;
	return -1;
}

void end_with(int parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (getppid() != parent)
		_exit(0);
}
