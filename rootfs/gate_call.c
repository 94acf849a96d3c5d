/* SPDX-License-Identifier: MIT */
/*
 * Calls: what is called, by whichever detour (call, apply, bind, Reflect), and what comes
 * back. The engine's functions that hand out parts of an object are followed; functions
 * of the source get their arguments, and give what they return.
 */
#include <string.h>

#include "rootfs/gate_core.h"

#define ARGUMENTS_MOST 64u
/* Reflect.apply(Reflect.apply, ...): so many detours are followed. */
#define DETOURS_MOST 6u

struct call {
	uint32_t at; /* the node of the call */
	struct gate_value target, receiver;
	struct gate_value args[ARGUMENTS_MOST];
	uint32_t count;
	bool method;	/* called on a receiver */
	bool on_this;	/* which is `this` */
	bool more;	/* there are arguments that are not known */
	bool construct; /* by new */
};

static struct gate_value arg(const struct call *call, uint32_t i)
{
	if (i < call->count)
		return call->args[i];
	return gate_value_of(call->more ? GATE_UNKNOWN : GATE_UNDEFINED);
}

static void add_arg(struct call *call, struct gate_value value)
{
	if (call->count < ARGUMENTS_MOST && !call->more)
		call->args[call->count++] = value;
	else
		call->more = true;
}

static void add_list(struct gate *g, struct call *call, struct gate_value list)
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

static void read_args(struct gate *g, struct call *call, uint32_t args)
{
	if (args == GATE_NONE)
		return;
	if (g->nodes[args].kind == sym_template_string) {
		struct gate_text raw = gate_source_of(g, args);

		if (call->target.kind == GATE_PATH && is_plain(g, args))
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
			add_list(g, call, g->values[i]);
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

static struct gate_value call_function(struct gate *g, const struct call *call)
{
	struct gate_function *f;
	uint32_t index = 0;

	if (!gate_is_function(g->nodes[call->target.node].kind))
		return gate_value_of(GATE_UNKNOWN);
	f = &g->functions[g->nodes[call->target.node].ref];
	if (!call->method && !call->construct && !f->plain) {
		f->plain = true;
		g->again |= f->this_read;
	}
	for (uint32_t i = first_parameter(g, f->node); i != GATE_NONE; index++) {
		gate_bind(g, i,
			  g->nodes[i].kind == sym_rest_pattern
				  ? gate_value_of(GATE_UNKNOWN)
				  : arg(call, index));
		i = g->nodes[f->node].kind == sym_arrow_function &&
				    g->nodes[i].field == field_parameter
			    ? GATE_NONE
			    : gate_next_real(g, i);
	}
	return gate_returns(g, f);
}

/* A function that is handed over where it stands, without a receiver to go with it. */
static void callback(struct gate *g, const struct call *call, uint32_t args)
{
	uint32_t last = GATE_NONE;
	struct gate_function *f;

	if (args == GATE_NONE || call->count != 1 || call->more)
		return;
	last = gate_in_parens(g, gate_first_real(g, args));
	if (last == GATE_NONE || g->nodes[last].kind != sym_function_expression)
		return;
	f = &g->functions[g->nodes[last].ref];
	if (!f->plain) {
		f->plain = true;
		g->again |= f->this_read;
	}
}

/* --- functions of the engine --- */

static struct gate_value apply(struct gate *g, struct call *call);

static void enumerates(struct gate *g, const struct call *call, struct gate_value value)
{
	if (value.kind == GATE_GLOBAL)
		gate_signal(g, GATE_SIGNAL_GLOBAL_ENUMERATION, call->at);
	if (value.kind == GATE_CODE_PROTO ||
	    (value.kind == GATE_DESCRIPTORS &&
	     g->list[value.first].kind == GATE_CODE_PROTO))
		gate_signal(g, GATE_SIGNAL_CODE_CONSTRUCTOR, call->at);
}

static struct gate_value do_enumerate(struct gate *g, struct call *call)
{
	enumerates(g, call, arg(call, 0));
	return gate_value_of(GATE_UNKNOWN);
}

static struct gate_value do_prototype(struct gate *g, struct call *call)
{
	return gate_prototype_of(g, arg(call, 0));
}

static struct gate_value do_get(struct gate *g, struct call *call)
{
	return gate_member_by(g, arg(call, 0), arg(call, 1), call->at);
}

static struct gate_value do_descriptor(struct gate *g, struct call *call)
{
	return gate_value_boxed(g, GATE_DESCRIPTOR, do_get(g, call));
}

static struct gate_value do_descriptors(struct gate *g, struct call *call)
{
	enumerates(g, call, arg(call, 0));
	return gate_value_boxed(g, GATE_DESCRIPTORS, arg(call, 0));
}

static struct gate_value do_write(struct gate *g, struct call *call)
{
	if (gate_is_prototype(arg(call, 0)))
		gate_signal(g, GATE_SIGNAL_PROTOTYPE_WRITE, call->at);
	return arg(call, 0);
}

static struct gate_value do_assign(struct gate *g, struct call *call)
{
	struct gate_value joined = do_write(g, call);

	for (uint32_t i = 1; i < call->count; i++) {
		enumerates(g, call, call->args[i]);
		joined = gate_value_join(joined, call->args[i]);
	}
	return joined;
}

static struct gate_value do_apply(struct gate *g, struct call *call)
{
	struct call inner = {.at = call->at, .target = arg(call, 0), .method = true};

	add_list(g, &inner, arg(call, 2));
	return apply(g, &inner);
}

static struct gate_value do_construct(struct gate *g, struct call *call)
{
	struct call inner = {.at = call->at, .target = arg(call, 0), .construct = true};

	add_list(g, &inner, arg(call, 1));
	return apply(g, &inner);
}

static struct gate_value do_timer(struct gate *g, struct call *call)
{
	struct gate_value what = arg(call, 0);

	if (gate_value_is_text(what) || what.kind == GATE_LIST)
		gate_signal(g, GATE_SIGNAL_TIMER_STRING, call->at);
	if (what.kind == GATE_FUNCTION) {
		struct call inner = {.at = call->at, .target = what, .more = true};

		apply(g, &inner);
	}
	return gate_value_of(GATE_UNKNOWN);
}

static struct gate_value do_proxy(struct gate *g, struct call *call)
{
	(void)g;
	return call->construct ? arg(call, 0) : gate_value_of(GATE_UNKNOWN);
}

static const struct builtin {
	const char *path;
	struct gate_value (*call)(struct gate *g, struct call *call);
} builtins[] = {
	{"Object.getPrototypeOf", do_prototype},
	{"Reflect.getPrototypeOf", do_prototype},
	{"Reflect.get", do_get},
	{"Object.getOwnPropertyDescriptor", do_descriptor},
	{"Reflect.getOwnPropertyDescriptor", do_descriptor},
	{"Object.getOwnPropertyDescriptors", do_descriptors},
	{"Object.keys", do_enumerate},
	{"Object.values", do_enumerate},
	{"Object.entries", do_enumerate},
	{"Object.getOwnPropertyNames", do_enumerate},
	{"Object.getOwnPropertySymbols", do_enumerate},
	{"Reflect.ownKeys", do_enumerate},
	{"JSON.stringify", do_enumerate},
	{"Object.assign", do_assign},
	{"Object.defineProperty", do_write},
	{"Object.defineProperties", do_write},
	{"Object.setPrototypeOf", do_assign},
	{"Reflect.setPrototypeOf", do_assign},
	{"Reflect.defineProperty", do_write},
	{"Reflect.set", do_write},
	{"Reflect.apply", do_apply},
	{"Reflect.construct", do_construct},
	{"setTimeout", do_timer},
	{"setInterval", do_timer},
	{"setImmediate", do_timer},
	{"Proxy", do_proxy},
};

static struct gate_value call_path(struct gate *g, struct call *call)
{
	struct gate_text path = {call->target.text, call->target.n};

	gate_mention(g, call->construct ? RULE_NEW : RULE_CALL, path, call->at);
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (gate_text_is(path, builtins[i].path))
			return builtins[i].call(g, call);
	if (call->more && !gate_text_is(path, "String.raw"))
		return gate_value_of(GATE_UNKNOWN);
	return gate_fold_call(g, path, call->args, call->count);
}

static struct gate_value apply(struct gate *g, struct call *call)
{
	struct gate_value value;

	switch (call->target.kind) {
	case GATE_PATH:
		if (g->detours == DETOURS_MOST) {
			gate_signal(g, GATE_SIGNAL_TOO_DEEP, call->at);
			return gate_value_of(GATE_UNKNOWN);
		}
		g->detours++;
		value = call_path(g, call);
		g->detours--;
		return value;
	case GATE_FUNCTION:
		return call_function(g, call);
	case GATE_CTOR:
		if (!call->construct && !call->on_this)
			gate_signal(g, GATE_SIGNAL_CONSTRUCTOR_CALL, call->at);
		return gate_value_of(GATE_UNKNOWN);
	default:
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
static struct gate_value call_by(struct gate *g, const struct call *call, bool spread)
{
	struct call inner = {.at = call->at,
			     .target = call->receiver,
			     .method = arg(call, 0).kind != GATE_UNDEFINED &&
				       arg(call, 0).kind != GATE_NULL,
			     .more = false};

	if (spread)
		add_list(g, &inner, arg(call, 1));
	for (uint32_t i = 1; !spread && i < call->count; i++)
		add_arg(&inner, call->args[i]);
	inner.more |= call->more;
	return apply(g, &inner);
}

/* Callbacks of an array's methods are called with its elements. */
static void call_with_elements(struct gate *g, const struct call *call)
{
	struct call inner = {
		.at = call->at, .target = arg(call, 0), .method = true, .more = true};
	struct gate_value element = gate_value_of(GATE_UNKNOWN);

	if (inner.target.kind != GATE_FUNCTION)
		return;
	for (uint32_t i = 0; i < call->receiver.n && i < ARGUMENTS_MOST; i++)
		element = gate_value_join(element, g->list[call->receiver.first + i]);
	inner.args[inner.count++] = element;
	apply(g, &inner);
}

static struct gate_value call_method(struct gate *g, struct call *call,
				     struct gate_text method)
{
	struct gate_value folded;

	if (is_callable(call->receiver)) {
		if (gate_text_is(method, "call"))
			return call_by(g, call, false);
		if (gate_text_is(method, "apply"))
			return call_by(g, call, true);
		if (gate_text_is(method, "bind"))
			return call->receiver;
	}
	if (gate_text_is(method, "__defineGetter__") ||
	    gate_text_is(method, "__defineSetter__")) {
		if (gate_is_prototype(call->receiver))
			gate_signal(g, GATE_SIGNAL_PROTOTYPE_WRITE, call->at);
	}
	if (call->receiver.kind == GATE_LIST)
		call_with_elements(g, call);
	folded = call->more ? gate_value_of(GATE_NOTHING)
			    : gate_fold_method(g, call->receiver, method, call->args,
					       call->count);
	return folded.kind != GATE_NOTHING ? folded : apply(g, call);
}

static bool is_this(const struct gate *g, uint32_t i)
{
	i = gate_in_parens(g, i);
	return i != GATE_NONE && g->nodes[i].kind == sym_this;
}

/* The name of the method that is called, if it is one; sets who it is called on. */
static bool is_method(struct gate *g, struct call *call, uint32_t callee,
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

void gate_call(struct gate *g, uint32_t i)
{
	uint32_t callee = gate_child(g, i, field_function);
	uint32_t args = gate_child(g, i, field_arguments);
	struct call call = {.at = i};
	struct gate_text method;
	bool named;

	if (callee == GATE_NONE)
		return;
	if (g->nodes[callee].kind == sym_import)
		gate_signal(g, GATE_SIGNAL_DYNAMIC_IMPORT, i);
	call.target = g->values[callee];
	named = is_method(g, &call, callee, &method);
	read_args(g, &call, args);
	callback(g, &call, args);
	g->values[i] = named ? call_method(g, &call, method) : apply(g, &call);
}

void gate_new(struct gate *g, uint32_t i)
{
	uint32_t made = gate_child(g, i, field_constructor);
	uint32_t args = gate_child(g, i, field_arguments);
	struct call call = {.at = i, .construct = true};

	if (made == GATE_NONE)
		return;
	call.target = g->values[made];
	read_args(g, &call, args);
	callback(g, &call, args);
	g->values[i] = apply(g, &call);
}
