/* SPDX-License-Identifier: MIT */
/*
 * Functions of the engine: those that hand out parts of an object, or write them, are
 * followed; what others get may turn up anywhere.
 */
#include <string.h>

#include "rootfs/gate_call.h"

static void enumerates(struct gate *g, const struct gate_call *call,
		       struct gate_value value)
{
	if (gate_value_is_global(value))
		gate_signal(g, GATE_SIGNAL_GLOBAL_ENUMERATION, call->at);
	if (value.kind == GATE_CODE_PROTO ||
	    (value.kind == GATE_DESCRIPTORS &&
	     g->list[value.first].kind == GATE_CODE_PROTO))
		gate_signal(g, GATE_SIGNAL_CODE_CONSTRUCTOR, call->at);
}

static struct gate_value do_enumerate(struct gate *g, struct gate_call *call)
{
	enumerates(g, call, gate_call_arg(call, 0));
	return gate_value_of(GATE_UNKNOWN);
}

static struct gate_value do_prototype(struct gate *g, struct gate_call *call)
{
	return gate_prototype_of(g, gate_call_arg(call, 0));
}

static struct gate_value do_get(struct gate *g, struct gate_call *call)
{
	return gate_member_by(g, gate_call_arg(call, 0), gate_call_arg(call, 1),
			      call->at);
}

static struct gate_value do_descriptor(struct gate *g, struct gate_call *call)
{
	return gate_value_boxed(g, GATE_DESCRIPTOR, do_get(g, call));
}

static struct gate_value do_descriptors(struct gate *g, struct gate_call *call)
{
	enumerates(g, call, gate_call_arg(call, 0));
	return gate_value_boxed(g, GATE_DESCRIPTORS, gate_call_arg(call, 0));
}

/* Reflect.set(object, key, value) */
static struct gate_value do_set(struct gate *g, struct gate_call *call)
{
	gate_member_write(g, gate_call_arg(call, 0), gate_call_arg(call, 1),
			  gate_call_arg(call, 2), call->at);
	return gate_value_of(GATE_UNKNOWN);
}

/* What a descriptor, a literal, gives to a property by that name. */
static struct gate_value described(struct gate *g, struct gate_value descriptor,
				   const char *by)
{
	struct gate_text key = {by, (uint32_t)strlen(by)};

	return descriptor.kind == GATE_OBJECT ? gate_member(g, descriptor, key, GATE_NONE)
					      : gate_value_of(GATE_UNKNOWN);
}

static struct gate_value do_define(struct gate *g, struct gate_call *call)
{
	struct gate_value object = gate_call_arg(call, 0), key = gate_call_arg(call, 1);
	struct gate_value get = described(g, gate_call_arg(call, 2), "get");

	if (object.kind == GATE_GLOBAL && !gate_value_is_key(key))
		gate_signal(g, GATE_SIGNAL_GLOBAL_DYNAMIC_KEY, call->at);
	if (gate_value_is_global(object) && get.kind == GATE_FUNCTION)
		gate_lose(g, get, call->at);
	gate_member_write(g, object, key, described(g, gate_call_arg(call, 2), "value"),
			  call->at);
	return object;
}

/* Of many properties at once. */
static struct gate_value do_write(struct gate *g, struct gate_call *call)
{
	struct gate_value object = gate_call_arg(call, 0);

	if (gate_is_prototype(object))
		gate_signal(g, GATE_SIGNAL_PROTOTYPE_WRITE, call->at);
	if (object.kind != GATE_OBJECT && object.kind != GATE_LIST &&
	    object.kind != GATE_FUNCTION)
		gate_patch_any(g, object);
	if (gate_value_is_global(object))
		gate_lose(g, object, call->at);
	return object;
}

static struct gate_value do_assign(struct gate *g, struct gate_call *call)
{
	struct gate_value joined = do_write(g, call);

	for (uint32_t i = 1; i < call->count; i++) {
		enumerates(g, call, call->args[i]);
		joined = gate_value_join(g, joined, call->args[i]);
	}
	return joined;
}

/* What the new object inherits, and what is asked of it. */
static struct gate_value do_inherit(struct gate *g, struct gate_call *call)
{
	struct gate_value object = gate_call_arg(call, 0);

	gate_call_lose(g, call, 2);
	if (gate_value_is_global(gate_call_arg(call, 1))) {
		gate_lose(g, gate_call_arg(call, 1), call->at);
		return gate_call_arg(call, 1);
	}
	if (gate_is_prototype(object))
		gate_signal(g, GATE_SIGNAL_PROTOTYPE_WRITE, call->at);
	if (object.kind == GATE_PATH || object.kind == GATE_PROTO)
		gate_patch_any(g, object);
	return gate_value_join(g, object, gate_call_arg(call, 1));
}

static struct gate_value do_apply(struct gate *g, struct gate_call *call)
{
	struct gate_call inner = {.at = call->at,
				  .target = gate_call_arg(call, 0),
				  .receiver = gate_call_arg(call, 1),
				  .method = true};

	gate_call_add_list(g, &inner, gate_call_arg(call, 2));
	return gate_call_apply(g, &inner);
}

static struct gate_value do_construct(struct gate *g, struct gate_call *call)
{
	struct gate_call inner = {
		.at = call->at, .target = gate_call_arg(call, 0), .construct = true};

	gate_call_add_list(g, &inner, gate_call_arg(call, 1));
	return gate_call_apply(g, &inner);
}

static struct gate_value do_timer(struct gate *g, struct gate_call *call)
{
	struct gate_value what = gate_call_arg(call, 0);

	gate_call_lose(g, call, 0);
	if (gate_value_is_text(what) || what.kind == GATE_LIST)
		gate_signal(g, GATE_SIGNAL_TIMER_STRING, call->at);
	return gate_value_of(GATE_UNKNOWN);
}

static struct gate_value do_proxy(struct gate *g, struct gate_call *call)
{
	/* Its traps are called with the object. */
	gate_call_lose(g, call, 0);
	return call->construct ? gate_call_arg(call, 0) : gate_value_of(GATE_UNKNOWN);
}

/* Function.prototype.call.call(f, ...) */
static struct gate_value do_call(struct gate *g, struct gate_call *call)
{
	return gate_call_by(g, call, false);
}

static struct gate_value do_call_list(struct gate *g, struct gate_call *call)
{
	return gate_call_by(g, call, true);
}

static const struct builtin {
	const char *path;
	struct gate_value (*call)(struct gate *g, struct gate_call *call);
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
	{"Object.defineProperty", do_define},
	{"Object.defineProperties", do_write},
	{"Object.setPrototypeOf", do_inherit},
	{"Reflect.setPrototypeOf", do_inherit},
	{"Reflect.defineProperty", do_define},
	{"Reflect.set", do_set},
	{"Function.prototype.call", do_call},
	{"Function.prototype.apply", do_call_list},
	{"Reflect.apply", do_apply},
	{"Reflect.construct", do_construct},
	{"setTimeout", do_timer},
	{"setInterval", do_timer},
	{"setImmediate", do_timer},
	{"Proxy", do_proxy},
};

/* These look at their arguments and keep nothing of them. */
static bool is_mere_question(struct gate_text path)
{
	static const char *const names[] = {
		"Object",
		"Object.create",
		"Object.freeze",
		"Object.seal",
		"Object.is",
		"Object.isFrozen",
		"Object.isSealed",
		"Object.isExtensible",
		"Object.hasOwn",
		"Reflect.has",
		"Array.isArray",
		"Boolean",
		"Object.preventExtensions",
	};

	return gate_text_is_one_of(path, names, sizeof(names) / sizeof(names[0])) ||
	       (path.len > 8 && !memcmp(path.at, "console.", 8));
}

/* A method of the engine that is called on the global object: what does it do to it? */
static bool is_mere_method(struct gate_text path)
{
	static const char *const names[] = {
		"Object.prototype.hasOwnProperty",
		"Object.prototype.isPrototypeOf",
		"Object.prototype.propertyIsEnumerable",
		"Object.prototype.toString",
	};

	return gate_text_is_one_of(path, names, sizeof(names) / sizeof(names[0])) ||
	       !memmem(path.at, path.len, ".prototype.", 11);
}

/* Callbacks of these get `this` as an argument. */
static bool takes_this(struct gate_text method)
{
	static const char *const names[] = {
		"forEach", "map",	"filter",  "some",     "every",
		"find",	   "findIndex", "flatMap", "findLast", "findLastIndex",
	};

	return gate_text_is_one_of(method, names, sizeof(names) / sizeof(names[0]));
}

void gate_call_lose(struct gate *g, const struct gate_call *call, uint32_t from)
{
	for (uint32_t i = from; i < call->count; i++)
		gate_lose(g, call->args[i], call->at);
}

/* A callback that is handed over together with its `this`. */
bool gate_call_lose_callback(struct gate *g, const struct gate_call *call,
			     struct gate_text method)
{
	struct gate_value self = gate_call_arg(call, 1);

	if (!takes_this(method) || gate_is_replaced(g, method) || call->count != 2 ||
	    call->args[0].kind != GATE_FUNCTION || self.kind == GATE_UNDEFINED ||
	    self.kind == GATE_NULL)
		return false;
	gate_lose_method(g, call->args[0]);
	if (gate_value_is_global(self) &&
	    gate_is_function(g->nodes[call->args[0].node].kind))
		gate_set_this(g, &g->functions[g->nodes[call->args[0].node].ref],
			      self.kind);
	return true;
}

/* The last step of a path. */
static struct gate_text last_of(struct gate_text path)
{
	uint32_t from = path.len;

	while (from && path.at[from - 1] != '.')
		from--;
	return (struct gate_text){path.at + from, path.len - from};
}

/* Is it a function that the script may have put another in place of? */
static bool is_replaced(struct gate *g, struct gate_text path)
{
	const char *dot = memchr(path.at, '.', path.len);

	return gate_is_patched(g, last_of(path)) ||
	       (dot && gate_is_patched(g, (struct gate_text){path.at,
							     (uint32_t)(dot - path.at)}));
}

static struct gate_value fold_path(struct gate *g, struct gate_call *call,
				   struct gate_text path)
{
	bool replaced = is_replaced(g, path);

	if (replaced || call->target.flags & GATE_VALUE_UNSURE || !is_mere_question(path))
		if (!gate_call_lose_callback(g, call, last_of(path)))
			gate_call_lose(g, call, 0);
	if (replaced || (call->more && !gate_text_is(path, "String.raw")))
		return gate_value_of(GATE_UNKNOWN);
	if ((gate_text_is(path, "Symbol") || gate_text_is(path, "Symbol.for")) &&
	    !call->construct)
		return gate_value_of(GATE_SYMBOL);
	return gate_fold_call(g, path, call->args, call->count);
}

struct gate_value gate_call_path(struct gate *g, struct gate_call *call)
{
	struct gate_text path = {call->target.text, call->target.n};

	gate_mention(g, call->construct ? RULE_NEW : RULE_CALL, path, call->at);
	if (call->method && gate_value_is_global(call->receiver)) {
		if (gate_text_is(path, "Object.prototype.valueOf"))
			return call->receiver;
		if (!is_mere_method(path))
			gate_lose(g, call->receiver, call->at);
	}
	if (call->method && call->receiver.kind == GATE_FUNCTION &&
	    !is_mere_method(path) && !gate_text_is(path, "Function.prototype.call") &&
	    !gate_text_is(path, "Function.prototype.apply"))
		gate_lose(g, call->receiver, call->at);
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		if (!gate_text_is(path, builtins[i].path))
			continue;
		if (!is_replaced(g, path))
			return builtins[i].call(g, call);
		builtins[i].call(g, call);
		break;
	}
	return fold_path(g, call, path);
}
