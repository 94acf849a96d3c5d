/* SPDX-License-Identifier: MIT */
/*
 * The history over HTTP: /v1/runs. A tenant has only his own runs, and those of another are
 * to him as if they were not there.
 */
#ifndef QUOD_HISTORY_H
#define QUOD_HISTORY_H

#include "daemon/http.h"

enum MHD_Result history_list(struct exchange *exchange);
enum MHD_Result history_get(struct exchange *exchange);
enum MHD_Result history_cancel(struct exchange *exchange);

#endif
