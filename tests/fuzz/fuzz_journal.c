/* SPDX-License-Identifier: MIT */
/*
 * The reader of the history's journal, which a server that was taken over may have written:
 * what it lets through is a row that the database can take. Each page is given the digest,
 * the pass and the place that it would have to have, for nothing would come through else.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "daemon/store_internal.h"

#define PASS 7u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void seal(unsigned char *file, uint32_t page)
{
	size_t at = (size_t)page * JOURNAL_PAGE_BYTES;
	struct journal_head head;

	memcpy(&head, file + at, sizeof(head));
	head.pass = PASS;
	head.form = JOURNAL_FORM;
	head.page = page;
	memcpy(file + at, &head, sizeof(head));
	if (journal_entry_bytes(&head) <= JOURNAL_FILE_BYTES - at)
		journal_digest(file + at, journal_entry_bytes(&head), file + at);
}

static void judge(const struct row *row)
{
	const struct row_facts *facts = &row->facts;

	must(facts->status < STATUS_COUNT && facts->gate < GATE_DECISIONS);
	must(facts->engine < POLICY_ENGINES_COUNT);
	must(runid_is_valid(facts->id));
	must(strlen(facts->tenant) < sizeof(facts->tenant));
	must(strlen(facts->policy) < sizeof(facts->policy));
	must(strlen(facts->source_sha256) < sizeof(facts->source_sha256));
	must(strlen(facts->killed) < sizeof(facts->killed));
	must(row->json.len < JOURNAL_FILE_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	own_free unsigned char *file = calloc(1, JOURNAL_FILE_BYTES);
	struct store store = {.waiting_end = &store.waiting};

	if (!file)
		return 0;
	memcpy(file, data, len < JOURNAL_FILE_BYTES ? len : JOURNAL_FILE_BYTES);
	/* From behind: a row of several pages has others in it. */
	for (uint32_t page = JOURNAL_PAGES; page-- > 0;)
		seal(file, page);
	must(journal_read(&store, file) == 0);
	for (const struct row *row = store.waiting; row; row = row->next)
		judge(row);
	store_forget(&store);
	return 0;
}
