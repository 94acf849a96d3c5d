/* SPDX-License-Identifier: MIT */
/*
 * How many bytes of the history belong to whom. Where it is too large, whoever has the
 * most loses his oldest runs: so nobody's runs push out those of somebody who has fewer.
 * Counted once at the start, then kept up to date.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "daemon/store_internal.h"

static struct share *find(struct store *store, const char *tenant)
{
	struct share *grown;
	own_free char *name = NULL;

	for (size_t i = 0; i < store->shares_count; i++)
		if (!strcmp(store->shares[i].tenant, tenant))
			return &store->shares[i];
	name = strdup(tenant);
	grown = reallocarray(store->shares, store->shares_count + 1, sizeof(*grown));
	if (grown)
		store->shares = grown;
	if (!grown || !name)
		return NULL;
	grown[store->shares_count] = (struct share){.tenant = TAKE_PTR(name)};
	return &grown[store->shares_count++];
}

/* Without memory it is not counted until the next start. */
void share_add(struct store *store, const char *tenant, int64_t bytes)
{
	struct share *share = find(store, tenant);

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

	while ((code = sqlite3_step(statement)) == SQLITE_ROW)
		share_add(store, store_text(statement, 0),
			  sqlite3_column_int64(statement, 1));
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
