/* SPDX-License-Identifier: MIT */
/*
 * What a script puts into objects. A variable of the program is a property of the global
 * object too, and a name that is assigned without a declaration becomes one. Of other
 * objects it is not known which is which: all properties of one name are one, and of what
 * is in them only that is kept which leads somewhere.
 *
 * What the engine has may be replaced; then it is no longer known what it does.
 */
#include "rootfs/gate_core.h"

/* Apart from the scopes of the source: names that nobody declares. */
#define SCOPE_NOBODYS (UINT32_MAX - 1)

void gate_global_add(struct gate *g, uint32_t name, uint32_t node)
{
	uint32_t v;

	if (g->names[name].global != GATE_NONE)
		return;
	v = gate_variable_add(g, SCOPE_NOBODYS, name, node);
	g->variables[v].global = true;
	g->variables[v].writes = 1;
	g->names[name].global = v;
}

static bool is_of_engine(struct gate_text name)
{
	return gate_is_of_engine(name) || gate_leads_to_function(name) ||
	       gate_is_namespace(name);
}

void gate_global_write(struct gate *g, struct gate_text text, struct gate_value value)
{
	uint32_t name = gate_name_of(g, text);

	gate_global_add(g, name, 0);
	gate_write_variable(g, g->names[name].global, value);
	if (is_of_engine(text)) {
		gate_patch(g, text);
		gate_lose(g, value, 0);
	}
}

struct gate_value gate_read_variable(struct gate *g, struct gate_variable *v)
{
	struct gate_value value = g->round ? v->value : v->next;

	v->read = true;
	if (value.kind == GATE_NOTHING)
		return gate_value_of(v->writes ? GATE_UNKNOWN : GATE_UNDEFINED);
	if (v->global && g->strayed && value.kind < GATE_PROTO)
		return gate_value_of(GATE_UNKNOWN);
	if ((value.kind == GATE_LIST &&
	     (v->leaks || (v->called && (g->patched || g->patches)))) ||
	    (value.kind == GATE_OBJECT && (v->leaks || v->called)))
		value.flags |= GATE_VALUE_OPAQUE;
	if (value.kind == GATE_LIST)
		value.flags |= GATE_VALUE_SHARED;
	return value;
}

struct gate_value gate_global_read(struct gate *g, struct gate_text text)
{
	uint32_t name = gate_name_find(g, text);
	struct gate_value value;

	if (name == GATE_NONE || g->names[name].global == GATE_NONE)
		return gate_value_of(GATE_NOTHING);
	value = gate_read_variable(g, &g->variables[g->names[name].global]);
	if (is_of_engine(text))
		return gate_value_join(g, gate_value_path(text), value);
	return g->variables[g->names[name].global].scope == SCOPE_NOBODYS
		       ? gate_value_join(g, gate_value_of(GATE_UNKNOWN), value)
		       : value;
}

/* Made if it is not there, which moves the others. */
static struct gate_name *name_of(struct gate *g, struct gate_text text)
{
	uint32_t name = gate_name_of(g, text);

	return &g->names[name];
}

void gate_field_write(struct gate *g, struct gate_text key, struct gate_value value)
{
	struct gate_name *name = name_of(g, key);
	struct gate_value joined;

	if (value.kind < GATE_CTOR || value.kind == GATE_PATH)
		return;
	value.flags |= GATE_VALUE_UNSURE;
	joined = gate_value_join(g, name->field, value);
	if (name->asked && !gate_value_same(g, joined, name->field))
		g->again = true;
	name->field = joined;
}

struct gate_value gate_field_read(struct gate *g, struct gate_text key)
{
	struct gate_name *name = name_of(g, key);

	name->asked = true;
	return name->field;
}

bool gate_is_patched(struct gate *g, struct gate_text text)
{
	struct gate_name *name = name_of(g, text);

	name->asked = true;
	g->patched_asked = true;
	return g->patched || name->patched;
}

void gate_patch(struct gate *g, struct gate_text text)
{
	struct gate_name *name = name_of(g, text);

	g->again |= !name->patched && name->asked;
	name->patched = true;
}

void gate_patch_any(struct gate *g, struct gate_value object)
{
	bool in_sight = object.kind == GATE_PROTO || object.kind == GATE_CODE_PROTO ||
			(object.kind == GATE_PATH && gate_is_path_of_engine(object));

	g->again |= (!g->patched || (in_sight && !g->replaced)) && g->patched_asked;
	g->patched = true;
	g->replaced |= in_sight;
}

bool gate_is_replaced(struct gate *g, struct gate_text text)
{
	struct gate_name *name = name_of(g, text);

	name->asked = true;
	g->patched_asked = true;
	return g->replaced || name->patched;
}

/* Objects that the source has made itself, and none of the engine's. */
static bool is_own(struct gate_value object)
{
	return object.kind == GATE_OBJECT || object.kind == GATE_LIST ||
	       object.kind == GATE_FUNCTION;
}

static void write_key(struct gate *g, struct gate_value object, struct gate_text key,
		      struct gate_value value, uint32_t at)
{
	if (gate_is_prototype(object) || gate_text_is(key, "__proto__"))
		gate_signal(g, GATE_SIGNAL_PROTOTYPE_WRITE, at);
	if (gate_value_is_global(object))
		gate_global_write(g, key, value);
	if (object.kind == GATE_GLOBAL)
		return;
	if (object.kind == GATE_PATH || object.kind == GATE_PROTO)
		g->patches = true;
	if (!is_own(object))
		gate_patch(g, key);
	gate_field_write(g, key, value);
	if (value.kind == GATE_FUNCTION)
		gate_lose_method(g, value);
	else
		gate_lose(g, value, at);
}

void gate_member_write(struct gate *g, struct gate_value object, struct gate_value key,
		       struct gate_value value, uint32_t at)
{
	struct gate_text text;

	if (gate_value_is_key(key) && gate_value_to_text(g, key, &text)) {
		write_key(g, object, text, value, at);
		return;
	}
	if (gate_is_prototype(object))
		gate_signal(g, GATE_SIGNAL_PROTOTYPE_WRITE, at);
	if (!is_own(object) && object.kind != GATE_GLOBAL)
		gate_patch_any(g, object);
	gate_lose(g, value, at);
}
