/* SPDX-License-Identifier: MIT */
/*
 * Reads the syntax of policy files, which is systemd's: [Section], Key=Value, comments
 * that begin with # or ;, lines that a backslash at their end joins with the next. It
 * knows no key; it knows where each thing stands, to the column.
 */
#ifndef QUOD_INI_H
#define QUOD_INI_H

#include <stdbool.h>
#include <stddef.h>

/* Longer files are refused by whoever reads them. No policy is shown in more, see
 * policy/show.c. */
#define INI_MOST      524288u
#define INI_MOST_TEXT "512 KiB"

enum ini_kind { INI_SECTION, INI_ENTRY, INI_FAULT };

/* Lines and columns count from 1; a column is one character. */
struct ini_place {
	unsigned line, column;
};

struct ini_item {
	enum ini_kind kind;
	const char *name;  /* what stands in the brackets, a key, or what is wrong */
	const char *value; /* of an entry; "" if there is none */
	struct ini_place place;
};

struct ini {
	char *work;  /* the file, joined lines made one, cut into strings as it is read */
	char *lines; /* the file as it was: where its lines end */
	size_t len, at;
	bool judged;
	size_t seen; /* up to where `here` has counted */
	struct ini_place here;
};

/* Copies the text. Errors: -EFBIG (longer than INI_MOST), -ENOMEM. */
int ini_open(struct ini *ini, const char *text, size_t len);

/* NULL is fine, and so is one that was never opened but is all zero. */
void ini_close(struct ini *ini);
#define own_ini __attribute__((cleanup(ini_close)))

/*
 * The next item, in the order of the file; false at the end. What is malformed is an item
 * too, and reading goes on behind it. The strings are the reader's until it is closed.
 */
bool ini_next(struct ini *ini, struct ini_item *ret_item);

/* Where a byte of an item's value stands. */
struct ini_place ini_place(struct ini *ini, const char *in_value);

/* The next word of a value, words being separated by blanks: its length, 0 at the end.
 * *at moves behind it, *ret_word is where it begins. */
size_t ini_word(const char **at, const char **ret_word);

#endif
