/* SPDX-License-Identifier: MIT */
/* Names as numbers, and the variables of each scope: two hash tables with open
 * addressing. */
#include <string.h>

#include "rootfs/gate_core.h"

static uint32_t hash_text(struct gate_text text)
{
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; i < text.len; i++)
		hash = (hash ^ (unsigned char)text.at[i]) * 16777619u;
	return hash ^ hash >> 15;
}

static uint32_t hash_pair(uint32_t scope, uint32_t name)
{
	uint64_t hash = ((uint64_t)scope << 32 | name) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(hash >> 32);
}

static void names_grow(struct gate *g)
{
	uint32_t count = g->name_slots_count ? g->name_slots_count * 2 : 128;

	gate_tree_free(g->name_slots);
	g->name_slots = gate_tree_malloc(count * sizeof(uint32_t));
	memset(g->name_slots, 0xff, count * sizeof(uint32_t));
	g->name_slots_count = count;
	for (uint32_t i = 0; i < g->names_count; i++) {
		uint32_t slot = g->names[i].hash & (count - 1);

		while (g->name_slots[slot] != GATE_NONE)
			slot = (slot + 1) & (count - 1);
		g->name_slots[slot] = i;
	}
}

uint32_t gate_name_find(const struct gate *g, struct gate_text text)
{
	uint32_t hash = hash_text(text), slot;

	if (!g->name_slots_count)
		return GATE_NONE;
	slot = hash & (g->name_slots_count - 1);
	while (g->name_slots[slot] != GATE_NONE) {
		const struct gate_name *name = &g->names[g->name_slots[slot]];

		if (name->hash == hash && gate_text_equal(name->text, text))
			return g->name_slots[slot];
		slot = (slot + 1) & (g->name_slots_count - 1);
	}
	return GATE_NONE;
}

uint32_t gate_name_of(struct gate *g, struct gate_text text)
{
	uint32_t found = gate_name_find(g, text), hash, slot;

	if (found != GATE_NONE)
		return found;
	if (g->names_count * 2 >= g->name_slots_count)
		names_grow(g);
	hash = hash_text(text);
	slot = hash & (g->name_slots_count - 1);
	while (g->name_slots[slot] != GATE_NONE)
		slot = (slot + 1) & (g->name_slots_count - 1);
	gate_room(&g->names, g->names_count, &g->names_room, sizeof(*g->names));
	g->names[g->names_count] =
		(struct gate_name){.text = text, .hash = hash, .global = GATE_NONE};
	g->name_slots[slot] = g->names_count;
	return g->names_count++;
}

/* Where the variable is, or where it would be put. */
static uint32_t variable_slot(const struct gate *g, uint32_t scope, uint32_t name)
{
	uint32_t slot = hash_pair(scope, name) & (g->variable_slots_count - 1);

	while (g->variable_slots[slot] != GATE_NONE) {
		const struct gate_variable *v = &g->variables[g->variable_slots[slot]];

		if (v->scope == scope && v->name == name)
			break;
		slot = (slot + 1) & (g->variable_slots_count - 1);
	}
	return slot;
}

static void variables_grow(struct gate *g)
{
	uint32_t count = g->variable_slots_count ? g->variable_slots_count * 2 : 128;

	gate_tree_free(g->variable_slots);
	g->variable_slots = gate_tree_malloc(count * sizeof(uint32_t));
	memset(g->variable_slots, 0xff, count * sizeof(uint32_t));
	g->variable_slots_count = count;
	for (uint32_t i = 0; i < g->variables_count; i++)
		g->variable_slots[variable_slot(g, g->variables[i].scope,
						g->variables[i].name)] = i;
}

uint32_t gate_variable_add(struct gate *g, uint32_t scope, uint32_t name, uint32_t node)
{
	uint32_t slot;

	if (g->variables_count * 2 >= g->variable_slots_count)
		variables_grow(g);
	slot = variable_slot(g, scope, name);
	if (g->variable_slots[slot] != GATE_NONE)
		return g->variable_slots[slot];
	gate_room(&g->variables, g->variables_count, &g->variables_room,
		  sizeof(*g->variables));
	g->variables[g->variables_count] =
		(struct gate_variable){.name = name, .scope = scope, .node = node};
	g->names[name].declared = true;
	g->variable_slots[slot] = g->variables_count;
	return g->variables_count++;
}

uint32_t gate_variable_find(const struct gate *g, uint32_t scope, uint32_t name)
{
	if (!g->variables_count || !g->names[name].declared)
		return GATE_NONE;
	return g->variable_slots[variable_slot(g, scope, name)];
}

void gate_names_free(struct gate *g)
{
	gate_tree_free(g->names);
	gate_tree_free(g->name_slots);
	gate_tree_free(g->variables);
	gate_tree_free(g->variable_slots);
}
