/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a source, under the built-in rules and some more: findings lie within the
 * source and in its order, there are no more of them than may be, what they say is valid
 * UTF-8, and no memory is kept. The first byte says how much memory there is, and whether
 * Duktape would run it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "policy/rules.h"
#include "rootfs/gate.h"
#include "rootfs/protocol.h"
#include "tests/gate/heap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct outcome {
	unsigned findings;
	uint32_t line, column;
	size_t source_len;
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void found(void *context, const struct gate_finding *finding)
{
	struct outcome *outcome = context;

	must(++outcome->findings <= FINDINGS_MOST);
	must(finding->rule < rules_builtin_count);
	must(finding->detail_len <= FINDING_DETAIL_MOST);
	must(text_utf8_span(finding->detail, finding->detail_len) == finding->detail_len);
	must(finding->span <= outcome->source_len);
	/* Only the one that tells of more has no place. */
	must(finding->line || outcome->findings == FINDINGS_MOST);
	if (!finding->line)
		return;
	must(finding->line > outcome->line ||
	     (finding->line == outcome->line && finding->column >= outcome->column));
	outcome->line = finding->line;
	outcome->column = finding->column;
}

static size_t write_rules(unsigned char *wire)
{
	unsigned char *to = wire;

	for (size_t i = 0; i < rules_builtin_count; i++)
		for (size_t k = 0; k < rules_builtin[i].matches_count; k++) {
			const struct rule_match *match = &rules_builtin[i].matches[k];
			size_t len = strlen(match->pattern);

			*to++ = (unsigned char)i;
			*to++ = (unsigned char)match->kind;
			*to++ = (unsigned char)len;
			memcpy(to, match->pattern, len);
			to += len;
		}
	return (size_t)(to - wire);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static unsigned char wire[JOB_RULES_MOST];
	struct outcome outcome = {.source_len = len};
	struct gate_summary summary;
	static struct heap heap;

	if (!len)
		return 0;
	heap = (struct heap){
		.refuse_at = data[0] < 0x20 ? (unsigned long)data[0] * 16 + 1 : 0,
		.most = 64u << 20,
	};
	struct gate_job job = {
		.source = (const char *)data + 1,
		.source_len = len - 1,
		.duktape = data[0] & 1,
		.rules = wire,
		.rules_len = write_rules(wire),
		.memory = heap_memory(&heap),
		.found = found,
		.context = &outcome,
	};
	must(gate_check_rules(wire, job.rules_len));
	if (!setjmp(heap_exhausted)) {
		gate_analyse(&job, &summary);
		must(!heap.used);
		must(summary.complexity >= 1);
	}
	heap_clear(&heap);
	/* The rest as rules: they are checked, never trusted. */
	gate_check_rules(data, len);
	return 0;
}
