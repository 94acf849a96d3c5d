/* SPDX-License-Identifier: MIT */
/* Rows of cells, written as columns that stand below each other. */
#ifndef QUOD_TABLE_H
#define QUOD_TABLE_H

#include <stdint.h>

#include "base/text.h"

#define TABLE_COLUMNS_MOST 12u

struct table {
	unsigned columns;
	unsigned right;	   /* bit per column: numbers, which end below each other */
	struct text cells; /* each with a NUL after it, row by row */
	unsigned widths[TABLE_COLUMNS_MOST];
	size_t count; /* of cells */
};

#define TABLE_INIT(columns_count, right_columns)                      \
	{                                                             \
		.columns = (columns_count), .right = (right_columns), \
		.cells = TEXT_INIT(16u << 20),                        \
	}

void table_free(struct table *table);
#define own_table __attribute__((cleanup(table_free)))

/* The next cell, row by row; what a terminal would obey is shown escaped. */
void table_add(struct table *table, const char *bytes, size_t len);
void table_addf(struct table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* All rows that are whole. A failure sticks in `to`. */
void table_write(const struct table *table, struct text *to);

#endif
