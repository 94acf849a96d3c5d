/* SPDX-License-Identifier: MIT */
/* A character is taken to be one column wide. */
#include "supervisor/table.h"

#include <string.h>

/* A cell that is longer is cut. */
#define CELL_MOST 400u

void table_free(struct table *table)
{
	text_free(&table->cells);
}

static unsigned width_of(const char *cell)
{
	unsigned width = 0;

	for (; *cell; cell++)
		width += ((unsigned char)*cell & 0xc0) != 0x80;
	return width;
}

void table_add(struct table *table, const char *bytes, size_t len)
{
	struct text *cells = &table->cells;
	unsigned column = (unsigned)(table->count % table->columns);
	size_t at = cells->len;
	unsigned width;

	bool cut = len > CELL_MOST;

	if (cut)
		len = text_utf8_span(bytes, CELL_MOST);
	text_add_escaped(cells, bytes, len, 0);
	text_add_str(cells, cut ? "..." : "");
	text_add_char(cells, '\0');
	table->count++;
	if (text_status(cells))
		return;
	width = width_of(cells->data + at);
	if (width > table->widths[column])
		table->widths[column] = width;
}

void table_addf(struct table *table, const char *format, ...)
{
	struct text cell = TEXT_INIT(CELL_MOST);
	va_list args;

	va_start(args, format);
	text_addv(&cell, format, args);
	va_end(args);
	table_add(table, text_str(&cell), cell.len);
	text_free(&cell);
}

static void add_times(struct text *to, char c, unsigned times)
{
	while (times--)
		text_add_char(to, c);
}

/* No spaces at the end of a row. */
static void write_cell(const struct table *table, unsigned column, const char *cell,
		       struct text *to)
{
	unsigned pad = table->widths[column] - width_of(cell);
	bool right = table->right >> column & 1;
	bool last = column + 1 == table->columns;

	add_times(to, ' ', right ? pad : 0);
	text_add_str(to, cell);
	add_times(to, ' ', right || last ? 0 : pad);
	text_add_str(to, last ? "\n" : "  ");
}

void table_write(const struct table *table, struct text *to)
{
	const char *cell = text_str(&table->cells);
	size_t whole = table->count - table->count % table->columns;

	if (text_status(&table->cells)) {
		to->error = text_status(&table->cells);
		return;
	}
	for (size_t i = 0; i < whole; i++, cell += strlen(cell) + 1)
		write_cell(table, (unsigned)(i % table->columns), cell, to);
}
