/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_VERDICT_H
#define QUOD_JS_VERDICT_H

/* Sends the VALUE frame for the value at this place (values.h), or LIMIT where it is too
 * large, which ends the run. */
void verdict_send(int at);

#endif
