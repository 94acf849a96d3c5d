/* SPDX-License-Identifier: MIT */
/* The daemon as a function, so that tests can be another server to its monitor. */
#ifndef QUOD_QUODD_H
#define QUOD_QUODD_H

/* What main() does. `server` is the program that becomes the server; NULL: the one that is
 * installed with this program. */
int quodd_main(int argc, char **argv, const char *server);

#endif
