/* SPDX-License-Identifier: MIT */
/* The options of quodd, as those of quod are in supervisor/command_table.h. */
#ifndef QUODD_OPTION_TABLE_H
#define QUODD_OPTION_TABLE_H

#include "supervisor/command_table.h"

#define QUODD_OPTIONS(X)                                                                \
	X(0, "config", "DIR", DIRECTORY,                                                \
	  "quodd.conf, tenants.d and policies are there (none)", config)                \
	X(0, "socket", "PATH", FILE,                                                    \
	  "listens there (what systemd passes, or " SOCKET_USUAL ")", socket)           \
	X(0, "state", "DIR", DIRECTORY, "a directory of its own, where the history is", \
	  state)                                                                        \
	X(0, "runs", "N", TEXT,                                                         \
	  "so many at once, whatever quodd.conf says, 1 to 512 (16)", runs)             \
	X(0, "pool", "N", TEXT,                                                         \
	  "so many warm jails at most of a tenant and policy, 0 to 512 (16; 0: none)",  \
	  pool)                                                                         \
	X(0, "user", NULL, FLAG,                                                        \
	  "one user's own daemon: socket and state are where his programs have theirs", \
	  user)                                                                         \
	X(0, "server-user", "NAME", USER,                                               \
	  "whom the server becomes when root starts it (quod, or nobody)", server_user) \
	X(0, "tcp-anywhere", NULL, FLAG,                                                \
	  "a TCP socket that systemd passes need not be on the loopback", tcp_anywhere) \
	X(0, "test", NULL, FLAG,                                                        \
	  "says what is wrong with the configuration, and nothing else", test)          \
	X('h', "help", NULL, FLAG, "shows this", help)                                  \
	X('V', "version", NULL, FLAG, "shows the version", version)

#endif
