/* SPDX-License-Identifier: MIT */
/*
 * The record's life: made empty, filled while the run goes on, given back.
 */
#include "supervisor/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"

void record_init(struct record *record, const struct request *request)
{
	const uint64_t *limit = request->limits.value;
	size_t value_most = (size_t)limit[LIMIT_ID_value_bytes];

	*record = (struct record){
		.request = request,
		.status = STATUS_INTERNAL_ERROR,
		.value_json = TEXT_INIT(value_most),
		.value_text = TEXT_INIT(value_most),
		.why = TEXT_INIT(2 * ERROR_TEXT_MOST),
		.modern_text = TEXT_INIT(GATE_REASON_MOST),
		.error = {.name = TEXT_INIT(ERROR_TEXT_MOST),
			  .message = TEXT_INIT(ERROR_TEXT_MOST),
			  .stack = TEXT_INIT(ERROR_TEXT_MOST)},
		.wall_by = ENFORCER_SUPERVISOR,
		.cpu_by = ENFORCER_SUPERVISOR,
		.memory_by = ENFORCER_ENGINE,
		.processes_by = ENFORCER_FILTER,
	};
	runlog_init(&record->log, limit[LIMIT_ID_log_bytes], limit[LIMIT_ID_log_lines]);
}

void record_free(struct record *record)
{
	text_free(&record->value_json);
	text_free(&record->value_text);
	text_free(&record->why);
	text_free(&record->modern_text);
	text_free(&record->error.name);
	text_free(&record->error.message);
	text_free(&record->error.stack);
	runlog_free(&record->log);
	for (unsigned i = 0; i < record->findings_count; i++) {
		free(record->findings[i].rule);
		free(record->findings[i].message);
		free(record->findings[i].why);
	}
	free(record->findings);
	record->findings = NULL;
	record->findings_count = 0;
}

int record_add_finding(struct record *record, const struct record_finding *finding)
{
	own_free char *rule = finding->rule, *message = finding->message,
		      *why = finding->why;
	unsigned count = record->findings_count;
	struct record_finding *findings;

	findings = reallocarray(record->findings, count + 1, sizeof(*findings));
	if (findings)
		record->findings = findings;
	if (!findings || !rule || !message)
		return -ENOMEM;
	findings[count] = *finding;
	TAKE_PTR(rule);
	TAKE_PTR(message);
	TAKE_PTR(why);
	record->findings_count++;
	return 0;
}
