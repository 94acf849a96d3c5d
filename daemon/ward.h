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

/* From clone to READY; the server looks first and can say more. */
#define WARD_SETUP_MS (CELL_SETUP_MS + 2000)

/* What a jail has open here, its cgroup's files included. */
#define WARD_FDS 18u

struct ward;

struct ward_means {
	sd_event *event;
	const struct interp *interp;
	unsigned warm_ms; /* so long a warm jail may wait, from its start */
	/* One that was coming has a jail, which is to be answered; or err says why it has
	 * none, and it is to be freed. */
	void (*come)(struct ward *ward, const struct jail_error *err, void *whose);
	/* It has told its ending, was taken away, and is to be freed. */
	void (*gone)(struct ward *ward, void *whose);
	void *whose;
};

/*
 * Makes the jail at this place and watches it; or is still coming when it returns, and
 * come() follows. *ret_ward is the caller's. The descriptors
 * for the answer are the ward's: once they are sent, ward_handed_over(). Errors: those of jail_start(),
 * and what pipe2(2) and sd-event give, with err filled.
 */
int ward_new(const struct order *order, const struct ward_means *means,
	     const struct run_place *place, struct ward **ret_ward,
	     struct jail_error *err);
/* Kills what still lives and waits for it. NULL is fine. */
void ward_free(struct ward *ward);

void ward_answer(const struct ward *ward, struct answer *ret_answer, int fds[ANSWER_FDS]);
void ward_handed_over(struct ward *ward);

/* Of one that is coming there is no answer yet; to be killed can wait for its coming, and
 * nothing else is done with it. */
bool ward_is_coming(const struct ward *ward);
uint64_t ward_run(const struct ward *ward);
const char *ward_id(const struct ward *ward);
enum ward_state {
	WARD_WARM, /* it waits for its run, which begins with the first ward_clock() */
	WARD_RUN,
	WARD_OVER, /* it has told its ending; what is left of it is about to go */
};

enum ward_state ward_state(const struct ward *ward);
const struct limits *ward_limits(const struct ward *ward);
/* Wall time begins, with what the order has for it and for CPU time, none of it above
 * ward_limits(). It can do so twice; what is asked for more often is not done. */
void ward_clock(struct ward *ward, const struct order *order);
void ward_kill(struct ward *ward);
/* What is left of one that is over goes at once, and not when there is nothing else to do:
 * true, and it may be freed. False: it is not over, or something still lives in it. */
bool ward_remove(struct ward *ward);
/* A warm jail that may not become a run: this is told as its ending, and it is killed. */
void ward_refuse(struct ward *ward, const struct jail_error *err);

#endif
