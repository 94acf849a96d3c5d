/* SPDX-License-Identifier: MIT */
/*
 * A record from a daemon that lies. If it is taken, what is told of it to people is text
 * without a control character, and, written again and read again, it is the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "supervisor/output.h"
#include "supervisor/record_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void tell(const struct record *record, struct text *to)
{
	output_explain(record, to);
	text_add_char(to, '\n');
	output_findings(record, to);
	must(text_status(to) == 0);
	must(text_utf8_span(text_str(to), to->len) == to->len);
	for (size_t i = 0; i < to->len; i++)
		must((unsigned char)to->data[i] >= ' ' || to->data[i] == '\n');
}

/* Writing takes what reading leaves alone from what it finds: nothing. */
static void judge_again(struct record *record, const struct text *told)
{
	own_text struct text json = TEXT_INIT(8u << 20), again = TEXT_INIT(8u << 20);
	struct record second;
	struct limits limits;
	bool valid;

	record->value_is_json = false;
	record->kill_reason = "x";
	record->kill_signal = record->crash_signal;
	record_write(record, &json);
	must(text_status(&json) == 0);
	json_check(text_str(&json), json.len, JSON_COMPACT_ONLY, &valid);
	must(valid);
	record_init(&second, record->request);
	must(record_read(&(struct json_span){json.data, json.len}, &second, &limits) ==
	     0);
	tell(&second, &again);
	must(again.len == told->len && !memcmp(again.data, told->data, told->len));
	record_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct json_span json = {(const char *)data, len};
	struct request request = {.policy = policy_builtin(0),
				  .limits = policy_builtin(0)->limits,
				  .check_only = len % 2,
				  .source = "a\nb\xc2\x9b\nc",
				  .source_len = 7,
				  .name = "x.js"};
	own_text struct text told = TEXT_INIT(8u << 20);
	struct record record;
	struct limits limits;
	bool valid = false;

	if (text_utf8_span(data, len) == len)
		json_check(json.at, len, 0, &valid);
	if (!valid)
		return 0;
	record_init(&record, &request);
	if (record_read(&json, &record, &limits) == 0) {
		request.limits = limits;
		tell(&record, &told);
		judge_again(&record, &told);
	}
	record_free(&record);
	return 0;
}
