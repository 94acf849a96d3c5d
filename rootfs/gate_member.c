/* SPDX-License-Identifier: MIT */
/*
 * Properties: by which ways one comes from a value to another. Constructors and
 * prototypes are ways too: from any function to the one that makes functions of text.
 */
#include <string.h>

#include "rootfs/gate_core.h"

#define PATH_MOST 200u

static struct gate_text text_of(const char *word)
{
	return (struct gate_text){word, (uint32_t)strlen(word)};
}

static struct gate_value path_of(const char *word)
{
	return gate_value_path(text_of(word));
}

static struct gate_text path_text(struct gate_value path)
{
	return (struct gate_text){path.text, path.n};
}

static struct gate_value code(struct gate *g, uint32_t at)
{
	if (at != GATE_NONE && !gate_is_asked(g, at))
		gate_signal(g, GATE_SIGNAL_CODE_CONSTRUCTOR, at);
	return gate_value_of(GATE_CODE);
}

bool gate_is_prototype(struct gate_value value)
{
	return value.kind == GATE_PROTO || value.kind == GATE_CODE_PROTO ||
	       (value.kind == GATE_PATH &&
		gate_text_ends(path_text(value), ".prototype"));
}

static struct gate_value path_constructor(struct gate *g, struct gate_value path,
					  uint32_t at)
{
	struct gate_text text = path_text(path);

	if (gate_text_ends(text, ".prototype")) {
		text.len -= (uint32_t)strlen(".prototype");
		return gate_text_is(text, "Function") ? code(g, at)
						      : gate_value_path(text);
	}
	/* A capital begins the name of a function, if anything is called that. */
	if (gate_leads_to_function(text) ||
	    (!gate_is_namespace(text) && !memchr(text.at, '.', text.len) &&
	     gate_begins_capital(text)))
		return code(g, at);
	return gate_is_namespace(text) ? path_of("Object") : gate_value_of(GATE_CTOR);
}

struct gate_value gate_constructor_of(struct gate *g, struct gate_value object,
				      uint32_t at)
{
	switch (object.kind) {
	case GATE_STRING:
	case GATE_STRINGISH:
		return path_of("String");
	case GATE_NUMBER:
		return path_of("Number");
	case GATE_BOOLEAN:
		return path_of("Boolean");
	case GATE_LIST:
		return path_of("Array");
	case GATE_REGEXP:
		return path_of("RegExp");
	case GATE_OBJECT:
	case GATE_THIS:
	case GATE_GLOBAL:
		return path_of("Object");
	case GATE_PATH:
		return path_constructor(g, object, at);
	case GATE_FUNCTION:
	case GATE_CODE:
	case GATE_CODE_PROTO:
	case GATE_CTOR:
		return code(g, at);
	default:
		return gate_value_of(GATE_CTOR);
	}
}

struct gate_value gate_prototype_of(struct gate *g, struct gate_value object)
{
	struct gate_value maker;
	char *room;

	switch (object.kind) {
	case GATE_FUNCTION:
	case GATE_CODE:
	case GATE_CTOR:
		return gate_value_of(GATE_CODE_PROTO);
	case GATE_PATH:
		if (gate_leads_to_function(path_text(object)))
			return gate_value_of(GATE_CODE_PROTO);
		break;
	case GATE_STRING:
	case GATE_STRINGISH:
	case GATE_NUMBER:
	case GATE_LIST:
	case GATE_REGEXP:
	case GATE_OBJECT:
		maker = gate_constructor_of(g, object, GATE_NONE);
		room = gate_text_room(g, maker.n + 10);
		if (!room)
			break;
		memcpy(room, maker.text, maker.n);
		memcpy(room + maker.n, ".prototype", 10);
		return gate_value_path((struct gate_text){room, maker.n + 10});
	default:
		break;
	}
	return gate_value_of(GATE_PROTO);
}

/* A path that is one step longer. */
static struct gate_value path_step(struct gate *g, struct gate_text path,
				   struct gate_text key, uint32_t at)
{
	struct gate_value own;
	char *room;

	if (path.len + key.len + 1 > PATH_MOST)
		return gate_value_of(GATE_UNKNOWN);
	room = gate_text_room(g, path.len + key.len + 1);
	if (!room)
		return gate_value_of(GATE_UNKNOWN);
	memcpy(room, path.at, path.len);
	room[path.len] = '.';
	memcpy(room + path.len + 1, key.at, key.len);
	path = (struct gate_text){room, path.len + key.len + 1};
	gate_mention(g, RULE_MEMBER, path, at);
	own = gate_field_read(g, key);
	return own.kind == GATE_NOTHING ? gate_value_path(path) : own;
}

/* What the global object inherits is found by its bare name too. */
static struct gate_value inherited_name(struct gate *g, struct gate_text name,
					uint32_t at)
{
	if (gate_text_is(name, "constructor"))
		return path_of("Object");
	if (gate_text_is(name, "__proto__")) {
		gate_mention_any(g, name, at);
		return gate_value_of(GATE_PROTO);
	}
	return gate_is_method_of_all(name)
		       ? path_step(g, text_of("Object.prototype"), name, at)
		       : gate_value_path(name);
}

struct gate_value gate_free_name(struct gate *g, struct gate_text name, uint32_t at)
{
	struct gate_value own;

	if (at != GATE_NONE && gate_is_guarded(g, at))
		gate_signal(g, GATE_SIGNAL_GLOBAL_GUARDED, at);
	else
		gate_mention(g, RULE_GLOBAL, name, at);
	if (gate_is_global_object(name))
		return gate_value_of(GATE_GLOBAL);
	if (gate_text_is(name, "undefined"))
		return gate_value_of(GATE_UNDEFINED);
	if (gate_text_is(name, "NaN"))
		return gate_value_number(__builtin_nan(""));
	if (gate_text_is(name, "Infinity"))
		return gate_value_number(__builtin_inf());
	own = gate_global_read(g, name);
	return own.kind == GATE_NOTHING ? inherited_name(g, name, at) : own;
}

static bool is_key(struct gate *g, uint32_t pair, struct gate_text key)
{
	uint32_t at = gate_child(g, pair, field_key);
	struct gate_text raw, text;

	if (at == GATE_NONE)
		return false;
	raw = gate_source_of(g, at);
	if (g->nodes[at].kind == sym_computed_property_name) {
		at = gate_first_real(g, at);
		return at == GATE_NONE || g->values[at].kind != GATE_STRING ||
		       (g->values[at].n == key.len &&
			!memcmp(g->values[at].text, key.at, key.len));
	}
	if (g->nodes[at].kind == sym_string && raw.len >= 2)
		raw = (struct gate_text){raw.at + 1, raw.len - 2};
	return gate_text_decode(g, raw, &text) && gate_text_equal(text, key);
}

static bool is_method_name(const struct gate *g, uint32_t method, struct gate_text key)
{
	uint32_t name = gate_child(g, method, field_name);

	return name != GATE_NONE && gate_text_equal(gate_source_of(g, name), key);
}

/* What the literal gives that key; NOTHING: it does not. The last one counts. */
static struct gate_value own_property(struct gate *g, uint32_t object,
				      struct gate_text key)
{
	struct gate_value found = gate_value_of(GATE_NOTHING);

	for (uint32_t i = gate_first_real(g, object); i != GATE_NONE && gate_work(g, 1);
	     i = gate_next_real(g, i)) {
		TSSymbol kind = g->nodes[i].kind;
		uint32_t value = gate_child(g, i, field_value);

		if (kind == sym_spread_element)
			found = gate_value_of(GATE_UNKNOWN);
		else if (kind == alias_sym_shorthand_property_identifier &&
			 gate_text_equal(gate_source_of(g, i), key))
			found = g->values[i];
		else if (kind == sym_pair && value != GATE_NONE && is_key(g, i, key))
			found = g->values[value];
		else if (kind == sym_method_definition && is_method_name(g, i, key))
			found = g->nodes[i].flags & GATE_NODE_ACCESSOR
					? gate_returns(g, &g->functions[g->nodes[i].ref])
					: g->values[i];
	}
	return found;
}

/* Of an object that is not known, or has no such property of its own. */
static struct gate_value any_field(struct gate *g, struct gate_text key)
{
	struct gate_value value = gate_field_read(g, key);

	return value.kind == GATE_NOTHING ? gate_value_of(GATE_UNKNOWN) : value;
}

static struct gate_value object_member(struct gate *g, struct gate_value object,
				       struct gate_text key, uint32_t at)
{
	struct gate_value own = own_property(g, object.node, key);

	if (own.kind != GATE_NOTHING) {
		/* It may have been changed since: what it may lead to still counts. */
		if (object.flags & GATE_VALUE_OPAQUE && own.kind < GATE_PROTO)
			return gate_value_of(GATE_UNKNOWN);
		return object.flags & GATE_VALUE_OPAQUE
			       ? gate_value_join(g, own, gate_field_read(g, key))
			       : gate_inner(own);
	}
	if (gate_text_is(key, "constructor"))
		return gate_constructor_of(g, object, at);
	if (gate_text_is(key, "__proto__"))
		return gate_prototype_of(g, object);
	if (gate_is_method_of_all(key))
		return path_step(g, text_of("Object.prototype"), key, at);
	return any_field(g, key);
}

static bool index_of(struct gate_text key, uint32_t *ret_index)
{
	uint32_t index = 0;

	if (!key.len || key.len > 6)
		return false;
	for (uint32_t i = 0; i < key.len; i++) {
		if (key.at[i] < '0' || key.at[i] > '9')
			return false;
		index = index * 10 + (uint32_t)(key.at[i] - '0');
	}
	*ret_index = index;
	return true;
}

static struct gate_value element(struct gate *g, struct gate_value object, uint32_t index)
{
	if (object.kind == GATE_LIST) {
		struct gate_value value;

		if (index >= object.n)
			return gate_value_of(object.flags & GATE_VALUE_OPAQUE
						     ? GATE_UNKNOWN
						     : GATE_UNDEFINED);
		value = g->list[object.first + index];
		return object.flags & GATE_VALUE_OPAQUE && value.kind < GATE_PROTO
			       ? gate_value_of(GATE_UNKNOWN)
			       : gate_inner(value);
	}
	if (object.kind != GATE_STRING)
		return gate_value_of(GATE_STRINGISH);
	for (uint32_t i = 0; i < object.n; i++)
		if (object.text[i] & 0x80)
			return gate_value_of(GATE_STRINGISH);
	return index < object.n
		       ? gate_value_text((struct gate_text){object.text + index, 1})
		       : gate_value_of(GATE_UNDEFINED);
}

/* Of strings, numbers, arrays and the like: what is no element is a method. */
static struct gate_value primitive_member(struct gate *g, struct gate_value object,
					  struct gate_text key, uint32_t at)
{
	struct gate_value proto;
	uint32_t index;

	if (object.kind != GATE_NUMBER && index_of(key, &index))
		return element(g, object, index);
	if (gate_text_is(key, "length"))
		return object.kind == GATE_STRINGISH || object.flags & GATE_VALUE_OPAQUE
			       ? gate_value_of(GATE_UNKNOWN)
			       : gate_value_number(object.n);
	if (!key.len || !(gate_is_letter(key.at[0]) || (unsigned char)key.at[0] > 0x7f))
		return gate_value_of(GATE_UNDEFINED);
	proto = gate_prototype_of(g, object);
	return proto.kind == GATE_PATH ? path_step(g, path_text(proto), key, at)
				       : gate_value_of(GATE_UNKNOWN);
}

static struct gate_value other_member(struct gate *g, struct gate_value object,
				      struct gate_text key, uint32_t at)
{
	switch (object.kind) {
	case GATE_THIS:
	case GATE_GLOBAL:
		return gate_free_name(g, key, at);
	case GATE_PATH:
		return path_step(g, path_text(object), key, at);
	case GATE_CODE:
	case GATE_CTOR:
		if (gate_text_is(key, "prototype"))
			return gate_value_of(object.kind == GATE_CODE ? GATE_CODE_PROTO
								      : GATE_PROTO);
		return any_field(g, key);
	case GATE_DESCRIPTOR:
		return gate_text_is(key, "value") || gate_text_is(key, "get")
			       ? g->list[object.first]
			       : gate_value_of(GATE_UNKNOWN);
	case GATE_DESCRIPTORS:
		return gate_value_boxed(g, GATE_DESCRIPTOR,
					gate_member(g, g->list[object.first], key, at));
	default:
		if (g->strayed &&
		    (gate_text_is(key, "eval") || gate_text_is(key, "Function") ||
		     gate_text_is(key, "execScript")))
			gate_signal(g, GATE_SIGNAL_GLOBAL_ESCAPE,
				    at == GATE_NONE ? 0 : at);
		if (object.kind == GATE_FUNCTION && gate_text_is(key, "arguments"))
			gate_lose(g, object, 0);
		return gate_is_method_of_all(key)
			       ? path_step(g, text_of("Object.prototype"), key, at)
			       : any_field(g, key);
	}
}

struct gate_value gate_member(struct gate *g, struct gate_value object,
			      struct gate_text key, uint32_t at)
{
	gate_mention_any(g, key, at);
	if (object.kind == GATE_OBJECT)
		return object_member(g, object, key, at);
	if (object.kind != GATE_DESCRIPTORS) {
		if (gate_text_is(key, "constructor"))
			return gate_constructor_of(g, object, at);
		if (gate_text_is(key, "__proto__"))
			return gate_prototype_of(g, object);
	}
	switch (object.kind) {
	case GATE_STRING:
	case GATE_STRINGISH:
	case GATE_NUMBER:
	case GATE_LIST:
	case GATE_REGEXP:
		return primitive_member(g, object, key, at);
	default:
		return other_member(g, object, key, at);
	}
}

/* The last step of a path. */
static struct gate_text path_end(struct gate_text path)
{
	uint32_t from = path.len;

	while (from && path.at[from - 1] != '.')
		from--;
	return (struct gate_text){path.at + from, path.len - from};
}

/* A method of the engine, the prototype of functions, or a function that is written where
 * it is taken apart. Of other functions honest code takes statics by a key: Promise[all
 * or any]. */
static bool is_mere_function(const struct gate *g, struct gate_value object, uint32_t at)
{
	uint32_t node;

	if (object.kind == GATE_PATH)
		return gate_text_is(path_text(object), "Function.prototype") ||
		       (gate_leads_to_function(path_text(object)) &&
			!gate_begins_capital(path_end(path_text(object))));
	if (object.kind != GATE_FUNCTION || g->nodes[at].kind != sym_subscript_expression)
		return false;
	node = gate_child(g, at, field_object);
	return node != GATE_NONE &&
	       gate_is_function(g->nodes[gate_in_parens(g, node)].kind);
}

/* By a key that is not known. */
static struct gate_value any_member(struct gate *g, struct gate_value object, uint32_t at)
{
	if (is_mere_function(g, object, at))
		gate_signal(g, GATE_SIGNAL_GLOBAL_DYNAMIC_KEY, at);
	switch (object.kind) {
	case GATE_DESCRIPTORS:
		if (g->list[object.first].kind >= GATE_CODE_PROTO)
			gate_signal(g, GATE_SIGNAL_GLOBAL_DYNAMIC_KEY, at);
		break;
	case GATE_THIS:
	case GATE_GLOBAL:
	case GATE_CODE:
	case GATE_CODE_PROTO:
		if (at != GATE_NONE)
			gate_signal(g, GATE_SIGNAL_GLOBAL_DYNAMIC_KEY, at);
		break;
	case GATE_STRING:
	case GATE_STRINGISH:
		return gate_value_of(GATE_STRINGISH);
	case GATE_LIST: {
		struct gate_value joined = gate_value_of(GATE_UNKNOWN);

		for (uint32_t i = 0; i < object.n && gate_work(g, 1); i++)
			joined = gate_value_join(g, joined, g->list[object.first + i]);
		return gate_inner(joined);
	}
	default:
		break;
	}
	return gate_value_of(GATE_UNKNOWN);
}

/* No name of anything that counts. The well-known ones cannot be replaced. */
static bool is_symbol(struct gate *g, struct gate_value key)
{
	static const char *const names[] = {
		"Symbol.iterator",	     "Symbol.asyncIterator", "Symbol.hasInstance",
		"Symbol.toPrimitive",	     "Symbol.toStringTag",   "Symbol.species",
		"Symbol.isConcatSpreadable",
	};

	if (key.kind == GATE_SYMBOL)
		return true;
	return key.kind == GATE_PATH && !(key.flags & GATE_VALUE_UNSURE) &&
	       !gate_is_patched(g, text_of("Symbol")) &&
	       gate_text_is_one_of(path_text(key), names,
				   sizeof(names) / sizeof(names[0]));
}

struct gate_value gate_member_by(struct gate *g, struct gate_value object,
				 struct gate_value key, uint32_t at)
{
	struct gate_text text;

	if (is_symbol(g, key))
		return gate_value_of(GATE_UNKNOWN);
	if (gate_value_is_key(key) && gate_value_to_text(g, key, &text))
		return gate_member(g, object, text, at);
	return any_member(g, object, at);
}
