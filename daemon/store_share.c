/* SPDX-License-Identifier: MIT */
/*
 * How many bytes of the history belong to whom. Where it is too large, whoever has the
 * most loses his oldest runs: so nobody's runs push out those of somebody who has fewer.
 * Counted once at the start, then kept up to date.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/store_internal.h"

/* Of bytes; no honest history is so large. */
#define SHARE_MOST (INT64_C(1) << 52)

static struct share *find(struct store *store, const char *tenant)
{
	for (size_t i = 0; i < store->shares_count; i++)
		if (!strcmp(store->shares[i].tenant, tenant))
			return &store->shares[i];
	return NULL;
}

/* NULL: no memory. */
static struct share *add(struct store *store, const char *tenant)
{
	char *name = strdup(tenant);
	struct share *grown =
		reallocarray(store->shares, store->shares_count + 1, sizeof(*grown));

	if (grown)
		store->shares = grown;
	if (!grown || !name) {
		free(name);
		return NULL;
	}
	grown[store->shares_count].tenant = name;
	grown[store->shares_count].bytes = 0;
	return &grown[store->shares_count++];
}

/* Without memory it is not counted until the next start. */
void share_add(struct store *store, const char *tenant, int64_t bytes)
{
	struct share *share = find(store, tenant);

	if (!share)
		share = add(store, tenant);
	if (share)
		share->bytes += bytes;
}

const char *share_largest(const struct store *store)
{
	const struct share *largest = NULL;

	for (size_t i = 0; i < store->shares_count; i++)
		if (store->shares[i].bytes > (largest ? largest->bytes : 0))
			largest = &store->shares[i];
	return largest ? largest->tenant : NULL;
}

int share_count(struct store *store)
{
	sqlite3_stmt *statement = store_reset(store, SQL_SHARES);
	int code;

	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		int64_t bytes = sqlite3_column_int64(statement, 1);
		struct share *share = NULL;

		/* Each tenant comes once: there is none to be found. */
		if (bytes >= 0 && bytes <= SHARE_MOST)
			share = add(store, store_text(statement, 0));
		if (!share)
			break;
		share->bytes = bytes;
	}
	sqlite3_reset(statement);
	return code;
}

void share_free(struct store *store)
{
	for (size_t i = 0; i < store->shares_count; i++)
		free(store->shares[i].tenant);
	free(store->shares);
	store->shares = NULL;
	store->shares_count = 0;
}
