/* SPDX-License-Identifier: MIT */
/*
 * What there is to ask for: one table of methods and paths.
 */
#ifndef QUOD_ROUTES_H
#define QUOD_ROUTES_H

#include "daemon/http.h"

/* With the headers: finds the route, or refuses before a body is read. */
enum MHD_Result routes_begin(struct exchange *exchange, const char *method,
			     const char *path);
/* With the whole body. */
enum MHD_Result routes_answer(struct exchange *exchange);

#endif
