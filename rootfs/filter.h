/* SPDX-License-Identifier: MIT */
/*
 * The inner filter: what quod-js may ask of the kernel from the moment before it reads
 * the job. Its bytes are made at build time (policy/filter_inner.h).
 */
#ifndef QUOD_JS_FILTER_H
#define QUOD_JS_FILTER_H

/* Installs handler and filter; ends the process where that fails. */
void filter_enter(void);

#endif
