/* SPDX-License-Identifier: MIT */
/* Where the daemon is, if its options do not say it. */
#ifndef QUOD_PLACES_H
#define QUOD_PLACES_H

#include "base/text.h"
#include "supervisor/options.h"

/*
 * The path of the socket, of the host's daemon or of a user's own, and the directory it
 * is in, which is made. Errors, with usage filled: -ENOENT (the user's environment does
 * not say where), and what mkdir(2) gives.
 */
int places_choose_socket(bool of_user, struct text *socket, struct usage *usage);

/* A user's state directory, which is made; the same errors. */
int places_choose_state(struct text *state, struct usage *usage);

#endif
