/* SPDX-License-Identifier: MIT */
/* One analysis, from the source to the findings: gate_core.h says in which order. */
#include "rootfs/gate.h"

#include <string.h>

#include "rootfs/gate_core.h"

/* Steps of what a source could make quadratic. Honest ones take a few a byte. */
#define WORK_LEAST    UINT64_C(4000000)
#define WORK_PER_BYTE UINT64_C(64)

static void gate_free(struct gate *g)
{
	gate_rules_free(g);
	gate_nodes_free(g);
	gate_scopes_free(g);
	gate_names_free(g);
	gate_text_free(g);
	gate_tree_free(g->list);
	gate_tree_free(g->places);
}

void gate_analyse(const struct gate_job *job, struct gate_summary *ret_summary)
{
	struct gate *g;

	gate_tree_use(&job->memory);
	g = gate_tree_calloc(1, sizeof(*g));
	g->job = job;
	g->source = job->source;
	g->source_len = (uint32_t)job->source_len;
	/* Escapes of the source alone never use it up: each is read once or twice a
	 * round. */
	g->fold_left = GATE_FOLD_SUM_MOST + 12 * g->source_len;
	g->work_left = WORK_LEAST + WORK_PER_BYTE * g->source_len;
	g->summary.complexity = 1;

	gate_rules_read(g, tree_sitter_javascript());
	gate_read(g);
	gate_lexis_nodes(g);
	gate_declare(g);
	gate_resolve(g);
	gate_obfuscation(g);
	if (job->duktape)
		gate_dialect(g);
	else
		gate_dialect_quick(g);
	g->places_shape = g->places_count;
	gate_evaluate(g);
	gate_shapes(g);
	gate_found_tell(g);

	if (g->summary.modern)
		gate_found_reason(g);
	*ret_summary = g->summary;
	gate_free(g);
	gate_tree_free(g);
}
