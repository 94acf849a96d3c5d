/* SPDX-License-Identifier: MIT */
#include "base/signal_name.h"

#include <signal.h>
#include <stdio.h>

#include "base/own.h"

/* clang-format off */
#define NAMED(X) \
	X(HUP) X(INT) X(QUIT) X(ILL) X(TRAP) X(ABRT) X(BUS) X(FPE) X(KILL) \
	X(USR1) X(SEGV) X(USR2) X(PIPE) X(ALRM) X(TERM) X(CHLD) X(CONT) X(STOP) \
	X(TSTP) X(TTIN) X(TTOU) X(URG) X(XCPU) X(XFSZ) X(VTALRM) X(PROF) X(WINCH) \
	X(IO) X(PWR) X(SYS)
/* clang-format on */

static const char *const names[] = {
#define X(name) [SIG##name] = "SIG" #name,
	NAMED(X)
#undef X
};

const char *signal_name(int number, char room[SIGNAL_NAME_ROOM])
{
	if (number > 0 && number < (int)ARRAY_LEN(names) && names[number])
		return names[number];
	snprintf(room, SIGNAL_NAME_ROOM, "signal %d", number);
	return room;
}
