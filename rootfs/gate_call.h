/* SPDX-License-Identifier: MIT */
/* A call, while it is looked at: shared by gate_call.c and gate_builtin.c. */
#ifndef QUOD_JS_GATE_CALL_H
#define QUOD_JS_GATE_CALL_H

#include "rootfs/gate_core.h"

#define GATE_ARGUMENTS_MOST 64u

struct gate_call {
	uint32_t at; /* the node of the call */
	struct gate_value target, receiver;
	struct gate_value args[GATE_ARGUMENTS_MOST];
	uint32_t count;
	bool method;	/* called on a receiver */
	bool on_this;	/* which is `this` */
	bool more;	/* there are arguments that are not known */
	bool construct; /* by new */
	bool immediate; /* of a function that is written there */
};

static inline struct gate_value gate_call_arg(const struct gate_call *call, uint32_t i)
{
	if (i < call->count)
		return call->args[i];
	return gate_value_of(call->more ? GATE_UNKNOWN : GATE_UNDEFINED);
}

void gate_call_add_list(struct gate *g, struct gate_call *call, struct gate_value list);
struct gate_value gate_call_apply(struct gate *g, struct gate_call *call);
/* Its arguments from that one on go to where they are not followed. */
void gate_call_lose(struct gate *g, const struct gate_call *call, uint32_t from);

/* f.call(this, ...), f.apply(this, [...]): the receiver is what is called. */
struct gate_value gate_call_by(struct gate *g, const struct gate_call *call, bool spread);

/* --- gate_builtin.c --- */
/* A callback with its `this`, if it is one; else false. */
bool gate_call_lose_callback(struct gate *g, const struct gate_call *call,
			     struct gate_text method);
struct gate_value gate_call_path(struct gate *g, struct gate_call *call);

#endif
