/* SPDX-License-Identifier: MIT */
/* The daemon as a function, so that tests can be another server to its monitor. */
#ifndef QUOD_QUODD_H
#define QUOD_QUODD_H

/* What main() does, but for being the server. */
int quodd_main(int argc, char **argv);

#endif
