/* SPDX-License-Identifier: MIT */
/*
 * Calls: what is called, by whichever detour (call, apply, bind, Reflect), and what comes
 * back. The engine's functions that hand out parts of an object are followed; functions
 * of the source get their arguments, and give what they return.
 */
#include <string.h>

#include "rootfs/gate_call.h"

/* Reflect.apply(Reflect.apply, ...): so many detours are followed. */
#define DETOURS_MOST 6u
/* Functions that a value may be. */
#define MATES_MOST 16u

static void add_arg(struct gate_call *call, struct gate_value value)
{
	if (call->count < GATE_ARGUMENTS_MOST && !call->more)
		call->args[call->count++] = value;
	else
		call->more = true;
}

void gate_call_add_list(struct gate *g, struct gate_call *call, struct gate_value list)
{
	if (list.kind != GATE_LIST || list.flags & GATE_VALUE_OPAQUE) {
		call->more = true;
		return;
	}
	for (uint32_t i = 0; i < list.n; i++)
		add_arg(call, g->list[list.first + i]);
}

/* A template without substitutions. */
static bool is_plain(const struct gate *g, uint32_t template)
{
	for (uint32_t i = gate_first(g, template); i != GATE_NONE; i = gate_next(g, i))
		if (g->nodes[i].kind == sym_template_substitution)
			return false;
	return true;
}

static void read_args(struct gate *g, struct gate_call *call, uint32_t args)
{
	if (args == GATE_NONE)
		return;
	if (g->nodes[args].kind == sym_template_string) {
		struct gate_text raw = gate_source_of(g, args);

		if (call->target.kind == GATE_PATH && raw.len >= 2 && is_plain(g, args))
			add_arg(call, gate_value_text((struct gate_text){raw.at + 1,
									 raw.len - 2}));
		else
			add_arg(call, (struct gate_value){.kind = GATE_LIST,
							  .flags = GATE_VALUE_OPAQUE});
		call->more = true;
		return;
	}
	for (uint32_t i = gate_first_real(g, args); i != GATE_NONE;
	     i = gate_next_real(g, i)) {
		if (g->nodes[i].kind == sym_spread_element)
			gate_call_add_list(g, call, g->values[i]);
		else
			add_arg(call, g->values[i]);
	}
}

/* --- functions of the source --- */

static uint32_t first_parameter(const struct gate *g, uint32_t function)
{
	uint32_t parameters = gate_child(g, function, field_parameters);

	return parameters == GATE_NONE ? gate_child(g, function, field_parameter)
				       : gate_first_real(g, parameters);
}

/* What `this` is to the function that is called. */
static uint8_t self_of(const struct gate_call *call)
{
	if (call->construct)
		return 0;
	if (call->method && call->receiver.kind != GATE_UNDEFINED &&
	    call->receiver.kind != GATE_NULL)
		return gate_value_is_global(call->receiver) ? call->receiver.kind : 0;
	return call->immediate ? GATE_GLOBAL : GATE_THIS;
}

static uint32_t next_parameter(const struct gate *g, uint32_t function, uint32_t i)
{
	return g->nodes[function].kind == sym_arrow_function &&
			       g->nodes[i].field == field_parameter
		       ? GATE_NONE
		       : gate_next_real(g, i);
}

static void pass_arguments(struct gate *g, const struct gate_call *call,
			   const struct gate_function *f)
{
	uint32_t index = 0, parameter = first_parameter(g, f->node);

	for (; parameter != GATE_NONE && gate_work(g, 1) &&
	       g->nodes[parameter].kind != sym_rest_pattern;
	     parameter = next_parameter(g, f->node, parameter), index++)
		gate_bind(g, parameter, gate_call_arg(call, index));
	if (parameter != GATE_NONE)
		gate_bind(g, parameter, gate_value_of(GATE_UNKNOWN));
	if (parameter != GATE_NONE || f->arguments)
		gate_call_lose(g, call, f->arguments ? 0 : index);
}

/* Each of the functions that it may be. */
static struct gate_value call_function(struct gate *g, const struct gate_call *call)
{
	struct gate_value all = gate_value_of(GATE_NOTHING);
	struct gate_function *first, *f;
	unsigned mates = 0;

	if (!gate_is_function(g->nodes[call->target.node].kind)) {
		gate_call_lose(g, call, 0);
		return gate_value_of(GATE_UNKNOWN);
	}
	first = f = &g->functions[g->nodes[call->target.node].ref];
	do {
		gate_set_this(g, f, self_of(call));
		pass_arguments(g, call, f);
		all = gate_value_join(g, all, gate_returns(g, f));
		f = &g->functions[f->mate];
	} while (f != first && ++mates < MATES_MOST);
	if (f != first || call->target.flags & GATE_VALUE_UNSURE) {
		gate_call_lose(g, call, 0);
		all = gate_value_join(g, all, gate_value_of(GATE_UNKNOWN));
	}
	return all;
}

/* A number is code as well, but does nothing. */
static bool may_be_code(const struct gate_call *call)
{
	for (uint32_t i = 0; i < call->count; i++)
		if (call->args[i].kind != GATE_NUMBER &&
		    call->args[i].kind != GATE_BOOLEAN &&
		    call->args[i].kind != GATE_UNDEFINED &&
		    call->args[i].kind != GATE_NULL)
			return true;
	return call->more;
}

struct gate_value gate_call_apply(struct gate *g, struct gate_call *call)
{
	struct gate_value value;

	switch (call->target.kind) {
	case GATE_PATH:
		if (g->detours == DETOURS_MOST) {
			gate_signal(g, GATE_SIGNAL_TOO_DEEP, call->at);
			return gate_value_of(GATE_UNKNOWN);
		}
		g->detours++;
		value = gate_call_path(g, call);
		g->detours--;
		return value;
	case GATE_FUNCTION:
		return call_function(g, call);
	case GATE_CTOR:
		if (!call->construct && !call->on_this && may_be_code(call))
			gate_signal(g, GATE_SIGNAL_CONSTRUCTOR_CALL, call->at);
		gate_call_lose(g, call, 0);
		return gate_value_of(GATE_UNKNOWN);
	default:
		/* It may be a method that gives back what it is called on. */
		if (call->receiver.kind == GATE_GLOBAL && call->method)
			gate_lose(g, call->receiver, call->at);
		gate_call_lose(g, call, 0);
		return gate_value_of(GATE_UNKNOWN);
	}
}

/* --- methods --- */

static bool is_callable(struct gate_value value)
{
	if (value.kind == GATE_PATH)
		return !gate_is_namespace((struct gate_text){value.text, value.n});
	return value.kind == GATE_FUNCTION || value.kind == GATE_CODE ||
	       value.kind == GATE_CTOR;
}

/* f.call(this, ...), f.apply(this, [...]) */
struct gate_value gate_call_by(struct gate *g, const struct gate_call *call, bool spread)
{
	struct gate_call inner = {.at = call->at,
				  .target = call->receiver,
				  .receiver = gate_call_arg(call, 0),
				  .method = true,
				  .immediate = call->immediate};

	if (spread)
		gate_call_add_list(g, &inner, gate_call_arg(call, 1));
	for (uint32_t i = 1; !spread && i < call->count; i++)
		add_arg(&inner, call->args[i]);
	inner.more |= call->more;
	return gate_call_apply(g, &inner);
}

/* Callbacks of an array's methods are called with its elements. */
static void call_with_elements(struct gate *g, const struct gate_call *call)
{
	struct gate_call inner = {.at = call->at,
				  .target = gate_call_arg(call, 0),
				  .receiver = gate_call_arg(call, 1),
				  .method = true,
				  .more = true};
	struct gate_value element = gate_value_of(GATE_UNKNOWN);

	if (inner.target.kind != GATE_FUNCTION)
		return;
	for (uint32_t i = 0; i < call->receiver.n && i < GATE_ARGUMENTS_MOST; i++)
		element = gate_value_join(g, element, g->list[call->receiver.first + i]);
	inner.args[inner.count++] = element;
	gate_call_apply(g, &inner);
}

/* f.bind(this, ...): called later, by nobody knows whom. */
static struct gate_value bind(struct gate *g, struct gate_call *call)
{
	struct gate_value self = gate_call_arg(call, 0), f = call->receiver;

	gate_call_lose(g, call, 1);
	if (f.kind == GATE_PATH && gate_value_is_global(self)) {
		struct gate_call inner = {.at = call->at,
					  .target = f,
					  .receiver = self,
					  .method = true,
					  .more = true};

		gate_call_apply(g, &inner);
	}
	if (f.kind != GATE_FUNCTION || !gate_is_function(g->nodes[f.node].kind))
		return f;
	if (self.kind == GATE_UNDEFINED || self.kind == GATE_NULL)
		gate_lose(g, f, call->at);
	gate_lose_method(g, f);
	if (gate_value_is_global(self))
		gate_set_this(g, &g->functions[g->nodes[f.node].ref], self.kind);
	return gate_value_of(GATE_UNKNOWN);
}

static bool is_detour(struct gate_text method)
{
	return gate_text_is(method, "call") || gate_text_is(method, "apply") ||
	       gate_text_is(method, "bind");
}

static struct gate_value call_method(struct gate *g, struct gate_call *call,
				     struct gate_text method)
{
	struct gate_value folded;

	if (is_callable(call->receiver)) {
		if (gate_text_is(method, "call"))
			return gate_call_by(g, call, false);
		if (gate_text_is(method, "apply"))
			return gate_call_by(g, call, true);
		if (gate_text_is(method, "bind"))
			return bind(g, call);
	}
	if (gate_text_is(method, "__defineGetter__") ||
	    gate_text_is(method, "__defineSetter__"))
		gate_member_write(g, call->receiver, gate_call_arg(call, 0),
				  gate_call_arg(call, 1), call->at);
	/* fn.call(this), fn.bind(this) of what is not known: `this` is no argument. */
	if (call->target.kind < GATE_CTOR && call->count && is_detour(method)) {
		if (call->args[0].kind == GATE_GLOBAL)
			gate_lose(g, call->args[0], call->at);
		gate_call_lose(g, call, 1);
		return gate_value_of(GATE_UNKNOWN);
	}
	if (call->target.kind < GATE_CTOR && gate_call_lose_callback(g, call, method)) {
		if (call->receiver.kind == GATE_GLOBAL)
			gate_lose(g, call->receiver, call->at);
		return gate_value_of(GATE_UNKNOWN);
	}
	if (call->receiver.kind == GATE_LIST)
		call_with_elements(g, call);
	folded = call->more || gate_is_patched(g, method) ||
				 gate_is_patched(g, (struct gate_text){"constructor", 11})
			 ? gate_value_of(GATE_NOTHING)
			 : gate_fold_method(g, call->receiver, method, call->args,
					    call->count);
	if (folded.kind != GATE_NOTHING && !gate_call_lose_callback(g, call, method))
		gate_call_lose(g, call, 0);
	return folded.kind != GATE_NOTHING ? folded : gate_call_apply(g, call);
}

static bool is_this(const struct gate *g, uint32_t i)
{
	i = gate_in_parens(g, i);
	return i != GATE_NONE && g->nodes[i].kind == sym_this;
}

/* The name of the method that is called, if it is one; sets who it is called on. */
static bool is_method(struct gate *g, struct gate_call *call, uint32_t callee,
		      struct gate_text *ret_method)
{
	uint32_t object, property;
	struct gate_text raw;

	callee = gate_in_parens(g, callee);
	if (callee == GATE_NONE)
		return false;
	object = gate_child(g, callee, field_object);
	if (object == GATE_NONE || (g->nodes[callee].kind != sym_member_expression &&
				    g->nodes[callee].kind != sym_subscript_expression))
		return false;
	call->method = true;
	call->receiver = g->values[object];
	call->on_this = is_this(g, object);
	property = gate_child(g, callee, field_property);
	if (property != GATE_NONE) {
		raw = gate_source_of(g, property);
		return gate_text_decode(g, raw, ret_method);
	}
	property = gate_child(g, callee, field_index);
	return property != GATE_NONE && g->values[property].kind == GATE_STRING &&
	       gate_value_to_text(g, g->values[property], ret_method);
}

/* (function () {})(), (function () {}).call(): is it one of these? */
static bool is_written_there(const struct gate *g, uint32_t callee)
{
	uint32_t object;

	callee = gate_in_parens(g, callee);
	if (callee == GATE_NONE)
		return false;
	object = gate_child(g, callee, field_object);
	if (object != GATE_NONE && g->nodes[callee].kind == sym_member_expression)
		callee = gate_in_parens(g, object);
	return callee != GATE_NONE && gate_is_function(g->nodes[callee].kind);
}

void gate_call(struct gate *g, uint32_t i)
{
	uint32_t callee = gate_child(g, i, field_function);
	uint32_t args = gate_child(g, i, field_arguments);
	struct gate_call call = {.at = i};
	struct gate_text method;
	bool named;

	if (callee == GATE_NONE)
		return;
	if (g->nodes[callee].kind == sym_import)
		gate_signal(g, GATE_SIGNAL_DYNAMIC_IMPORT, i);
	call.target = g->values[callee];
	named = is_method(g, &call, callee, &method);
	call.immediate = is_written_there(g, callee);
	read_args(g, &call, args);
	g->values[i] = named ? call_method(g, &call, method) : gate_call_apply(g, &call);
}

void gate_new(struct gate *g, uint32_t i)
{
	uint32_t made = gate_child(g, i, field_constructor);
	uint32_t args = gate_child(g, i, field_arguments);
	struct gate_call call = {.at = i, .construct = true};

	if (made == GATE_NONE)
		return;
	call.target = g->values[made];
	read_args(g, &call, args);
	g->values[i] = gate_call_apply(g, &call);
}
