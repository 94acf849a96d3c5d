/* SPDX-License-Identifier: MIT */
/*
 * The file is copied and worked on in place: a joint between two lines becomes blanks, an
 * end of a string a NUL. So every string of an item is at the offset that it has in the
 * file, and its place is found by counting line ends in a second, untouched copy.
 */
#include "policy/ini.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "base/text.h"

static const char byte_order_mark[] = "\xef\xbb\xbf";

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Without the carriage returns of line ends, which stand for nothing. Returns the length.
 */
static size_t copy_lines(char *to, const char *text, size_t len)
{
	size_t at = 0;

	for (size_t i = 0; i < len; i++)
		if (text[i] != '\r' || (i + 1 < len && text[i + 1] != '\n'))
			to[at++] = text[i];
	to[at] = '\0';
	return at;
}

int ini_open(struct ini *ini, const char *text, size_t len)
{
	size_t mark = sizeof(byte_order_mark) - 1;

	if (len > INI_MOST)
		return -EFBIG;
	if (len >= mark && !memcmp(text, byte_order_mark, mark)) {
		text += mark;
		len -= mark;
	}
	*ini = (struct ini){.here = {1, 1}};
	ini->work = malloc(len + 1);
	ini->lines = malloc(len + 1);
	if (!ini->work || !ini->lines) {
		ini_close(ini);
		return -ENOMEM;
	}
	ini->len = copy_lines(ini->work, text, len);
	memcpy(ini->lines, ini->work, ini->len + 1);
	return 0;
}

void ini_close(struct ini *ini)
{
	if (!ini)
		return;
	free(ini->work);
	free(ini->lines);
	*ini = (struct ini){0};
}

/* Asked for mostly in the order of the file: counting goes on where it stopped. */
static struct ini_place place_of(struct ini *ini, size_t offset)
{
	if (offset < ini->seen) {
		ini->seen = 0;
		ini->here = (struct ini_place){1, 1};
	}
	for (; ini->seen < offset; ini->seen++) {
		char c = ini->lines[ini->seen];

		if (c == '\n') {
			ini->here.line++;
			ini->here.column = 1;
		} else if (((unsigned char)c & 0xc0) != 0x80) {
			ini->here.column++;
		}
	}
	return ini->here;
}

struct ini_place ini_place(struct ini *ini, const char *in_value)
{
	return place_of(ini, (size_t)(in_value - ini->work));
}

/*
 * The offset of the first character that is not plain text in UTF-8, or the length. What
 * a terminal would not show as it is has no place in a file that an operator has to read.
 */
static int find_odd(const struct ini *ini, size_t *ret_offset)
{
	own_text struct text shown = TEXT_INIT(16 * (size_t)INI_MOST);
	size_t same = 0;

	text_add_escaped(&shown, ini->work, ini->len, TEXT_KEEP_LINES);
	if (text_status(&shown) < 0)
		return text_status(&shown);
	while (same < ini->len && same < shown.len && shown.data[same] == ini->work[same])
		same++;
	*ret_offset = same;
	return 0;
}

static bool fault(struct ini *ini, const char *at, const char *what,
		  struct ini_item *ret_item)
{
	*ret_item = (struct ini_item){.kind = INI_FAULT,
				      .name = what,
				      .value = "",
				      .place = ini_place(ini, at)};
	return true;
}

/* A file that is not text is told as that, and not read on. */
static bool judge(struct ini *ini, struct ini_item *ret_item)
{
	size_t odd = 0;
	int r = find_odd(ini, &odd);

	ini->judged = true;
	if (r == 0 && odd == ini->len)
		return false;
	ini->at = ini->len;
	return fault(ini, ini->work + odd,
		     r < 0 ? "there is no memory to read it"
			   : "this character is not plain text in UTF-8",
		     ret_item);
}

static char *skip_blanks(char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

/* Ends the string behind its last character that is no blank. */
static void cut_blanks(char *from, char *end)
{
	while (end > from && is_blank(end[-1]))
		end--;
	*end = '\0';
}

static bool is_comment(char *line)
{
	char first = *skip_blanks(line);

	return first == '#' || first == ';';
}

static char *line_end(const struct ini *ini, char *line)
{
	char *end = memchr(line, '\n', (size_t)(ini->work + ini->len - line));

	return end ? end : ini->work + ini->len;
}

/* The backslash that joins the line with the next, if its last one is not escaped. */
static char *joint_of(char *line, char *end)
{
	char *at = end;

	while (at > line && at[-1] == '\\')
		at--;
	return (end - at) % 2 ? end - 1 : NULL;
}

/* Makes one line of those that are joined; comments between them disappear. Returns its
 * end. */
static char *join_lines(struct ini *ini, char *line)
{
	char *stop = ini->work + ini->len;
	char *end = line_end(ini, line);
	char *joint = joint_of(line, end);

	while (joint) {
		*joint = ' ';
		while (end < stop && is_comment(end + 1)) {
			char *next = line_end(ini, end + 1);

			memset(end, ' ', (size_t)(next - end));
			end = next;
		}
		if (end == stop)
			break;
		*end = ' ';
		line = end + 1;
		end = line_end(ini, line);
		joint = joint_of(line, end);
	}
	return end;
}

static bool take_section(struct ini *ini, char *line, struct ini_item *ret_item)
{
	char *last = line + strlen(line) - 1;
	char *name = skip_blanks(line + 1);

	if (last == line || *last != ']')
		return fault(ini, line, "this section has no ']' at its end", ret_item);
	cut_blanks(name, last);
	if (!*name)
		return fault(ini, line, "this section has no name", ret_item);
	*ret_item = (struct ini_item){.kind = INI_SECTION,
				      .name = name,
				      .value = "",
				      .place = ini_place(ini, line)};
	return true;
}

static bool take_entry(struct ini *ini, char *line, struct ini_item *ret_item)
{
	char *equals = strchr(line, '=');

	if (!equals)
		return fault(ini, line,
			     "this is no [Section], no Key=Value and no comment",
			     ret_item);
	if (equals == line)
		return fault(ini, line, "a key is missing before the '='", ret_item);
	cut_blanks(line, equals);
	*ret_item = (struct ini_item){.kind = INI_ENTRY,
				      .name = line,
				      .value = skip_blanks(equals + 1),
				      .place = ini_place(ini, line)};
	return true;
}

bool ini_next(struct ini *ini, struct ini_item *ret_item)
{
	if (!ini->judged && judge(ini, ret_item))
		return true;
	while (ini->at < ini->len) {
		char *line = ini->work + ini->at;
		char *end =
			is_comment(line) ? line_end(ini, line) : join_lines(ini, line);
		bool comment = is_comment(line);

		ini->at = (size_t)(end - ini->work) + 1;
		cut_blanks(line, end);
		line = skip_blanks(line);
		if (comment || !*line)
			continue;
		return *line == '[' ? take_section(ini, line, ret_item)
				    : take_entry(ini, line, ret_item);
	}
	return false;
}

size_t ini_word(const char **at, const char **ret_word)
{
	const char *word = *at, *end;

	while (is_blank(*word))
		word++;
	for (end = word; *end && !is_blank(*end);)
		end++;
	*at = end;
	*ret_word = word;
	return (size_t)(end - word);
}
