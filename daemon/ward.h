/* SPDX-License-Identifier: MIT */
/*
 * One jail in the monitor: made by an order, watched until its end, which it tells on a
 * pipe. The monitor never reads or writes what is in the guest's pipes: it hands them
 * over.
 */
#ifndef QUOD_WARD_H
#define QUOD_WARD_H

#include <systemd/sd-event.h>

#include "daemon/orders.h"
#include "supervisor/cell.h"

struct ward;

struct ward_means {
	sd_event *event;
	const struct interp *interp;
	/* It has told its ending and is to be freed. */
	void (*gone)(struct ward *ward, void *whose);
	void *whose;
};

/*
 * Makes the jail at this place and watches it. *ret_ward is the caller's. The descriptors for the answer
 * are the ward's: once they are sent, ward_handed_over(). Errors: those of jail_start(),
 * and what pipe2(2) and sd-event give, with err filled.
 */
int ward_new(const struct order *order, const struct ward_means *means,
	     const struct run_place *place, struct ward **ret_ward,
	     struct jail_error *err);
/* Kills what still lives and waits for it. NULL is fine. */
void ward_free(struct ward *ward);

void ward_answer(const struct ward *ward, struct answer *ret_answer, int fds[ANSWER_FDS]);
void ward_handed_over(struct ward *ward);

uint64_t ward_run(const struct ward *ward);
const char *ward_id(const struct ward *ward);
/* Wall time begins. It can do so twice; what is asked for more often is not done. */
void ward_clock(struct ward *ward);
void ward_kill(struct ward *ward);

#endif
