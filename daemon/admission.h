/* SPDX-License-Identifier: MIT */
/*
 * Who may have how many connections, so that nobody keeps the others from coming: a tenant
 * has his part of them, and all who are none have one together.
 */
#ifndef QUOD_ADMISSION_H
#define QUOD_ADMISSION_H

#include "daemon/http.h"

/* May this one have a further connection? `tenant` is whose he is, NULL: nobody's. */
bool admission_may_come(const struct http *http, const struct peer *peer,
			const struct tenant *tenant);

/* A token was shown on it: from here on it is one of this tenant's connections, and none
 * of a stranger's, if he may have another. */
void admission_claim(struct connection *connection, struct http *http,
		     struct tenant *tenant);

#endif
