/* SPDX-License-Identifier: MIT */
/*
 * A validator without recursion: the kind of each open container is one bit of a fixed
 * stack, so that a guest can neither exhaust our stack nor our memory.
 */
#include "supervisor/json.h"

#include <stdint.h>
#include <string.h>

struct scan {
	const char *at, *end;
	unsigned flags;
	unsigned depth;
	uint64_t objects[JSON_DEPTH_MOST / 64]; /* bit set: that container is an object */
};

static bool in_object(const struct scan *s)
{
	unsigned top = s->depth - 1;

	return s->objects[top / 64] >> (top % 64) & 1;
}

static bool push(struct scan *s, bool object)
{
	uint64_t bit = (uint64_t)1 << (s->depth % 64);

	if (s->depth == JSON_DEPTH_MOST)
		return false;
	if (object)
		s->objects[s->depth / 64] |= bit;
	else
		s->objects[s->depth / 64] &= ~bit;
	s->depth++;
	return true;
}

static int peek(const struct scan *s)
{
	return s->at < s->end ? (unsigned char)*s->at : -1;
}

static bool take(struct scan *s, char c)
{
	if (peek(s) != (unsigned char)c)
		return false;
	s->at++;
	return true;
}

static void skip_space(struct scan *s)
{
	if (s->flags & JSON_COMPACT_ONLY)
		return;
	while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at)
		s->at++;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool digits(struct scan *s)
{
	const char *from = s->at;

	while (is_digit(peek(s)))
		s->at++;
	return s->at > from;
}

static bool number(struct scan *s)
{
	take(s, '-');
	if (!take(s, '0') && !digits(s))
		return false;
	if (take(s, '.') && !digits(s))
		return false;
	if (!take(s, 'e') && !take(s, 'E'))
		return true;
	if (!take(s, '+'))
		take(s, '-');
	return digits(s);
}

static bool hex4(struct scan *s, unsigned *ret)
{
	unsigned v = 0;

	for (int i = 0; i < 4; i++, s->at++) {
		int c = peek(s);

		if (is_digit(c))
			v = v * 16 + (unsigned)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			v = v * 16 + (unsigned)((c | 32) - 'a' + 10);
		else
			return false;
	}
	*ret = v;
	return true;
}

static bool unicode_escape(struct scan *s)
{
	unsigned v;

	if (!hex4(s, &v))
		return false;
	if (v < 0xd800 || v > 0xdfff)
		return true;
	return v < 0xdc00 && take(s, '\\') && take(s, 'u') && hex4(s, &v) &&
	       v >= 0xdc00 && v <= 0xdfff;
}

static bool escape(struct scan *s)
{
	int c = peek(s);

	if (c <= 0 || !strchr("\"\\/bfnrtu", c))
		return false;
	s->at++;
	return c != 'u' || unicode_escape(s);
}

static bool string(struct scan *s)
{
	if (!take(s, '"'))
		return false;
	while (peek(s) >= 0x20) {
		if (take(s, '"'))
			return true;
		if (take(s, '\\')) {
			if (!escape(s))
				return false;
		} else {
			s->at++;
		}
	}
	return false;
}

static bool word(struct scan *s, const char *text)
{
	while (*text)
		if (!take(s, *text++))
			return false;
	return true;
}

static bool scalar(struct scan *s)
{
	switch (peek(s)) {
	case '"':
		return string(s);
	case 't':
		return word(s, "true");
	case 'f':
		return word(s, "false");
	case 'n':
		return word(s, "null");
	default:
		return number(s);
	}
}

static bool member_name(struct scan *s)
{
	skip_space(s);
	if (!string(s))
		return false;
	skip_space(s);
	return take(s, ':');
}

/* Opens containers until a value stands complete: a scalar or an empty container. */
static bool value(struct scan *s)
{
	for (;;) {
		bool object;

		skip_space(s);
		object = peek(s) == '{';
		if (!object && peek(s) != '[')
			return scalar(s);
		s->at++;
		skip_space(s);
		if (take(s, object ? '}' : ']'))
			return true;
		if (!push(s, object) || (object && !member_name(s)))
			return false;
	}
}

/* After a complete value: closes what ends here. False: a syntax error or a comma and
 * then another value is due, as *ret_more says. */
static bool close_containers(struct scan *s, bool *ret_more)
{
	*ret_more = false;
	for (; s->depth; s->depth--) {
		skip_space(s);
		if (take(s, ',')) {
			*ret_more = true;
			return !in_object(s) || member_name(s);
		}
		if (!take(s, in_object(s) ? '}' : ']'))
			return false;
	}
	return true;
}

size_t json_check(const char *json, size_t len, unsigned flags, bool *ret_valid)
{
	struct scan s = {.at = json, .end = json + len, .flags = flags};
	bool more = true;
	bool fine = true;

	while (fine && more)
		fine = value(&s) && close_containers(&s, &more);
	if (fine)
		skip_space(&s);
	*ret_valid = fine && s.at == s.end;
	return (size_t)(s.at - json);
}

/* Steps over one value of JSON that is known to be valid. */
static struct json_span take_value(struct scan *s)
{
	struct json_span span;
	bool more = true;

	skip_space(s);
	span.at = s->at;
	while (more && value(s) && close_containers(s, &more))
		continue;
	span.len = (size_t)(s->at - span.at);
	return span;
}

static size_t find_name(const struct json_span *name, const char *const *names,
			size_t count)
{
	size_t i = 0;

	while (i < count && (strlen(names[i]) != name->len - 2 ||
			     memcmp(names[i], name->at + 1, name->len - 2) != 0))
		i++;
	return i;
}

static bool walk(const char *json, size_t len, char opening, struct json_walk *ret_walk)
{
	struct scan s = {.at = json, .end = json + len};

	skip_space(&s);
	if (!take(&s, opening))
		return false;
	*ret_walk = (struct json_walk){.at = s.at, .end = s.end};
	return true;
}

bool json_walk_object(const char *json, size_t len, struct json_walk *ret_walk)
{
	return walk(json, len, '{', ret_walk);
}

bool json_walk_array(const char *json, size_t len, struct json_walk *ret_walk)
{
	return walk(json, len, '[', ret_walk);
}

bool json_walk_next_value(struct json_walk *walk, struct json_span *ret_value)
{
	struct scan s = {.at = walk->at, .end = walk->end};

	skip_space(&s);
	take(&s, ',');
	skip_space(&s);
	if (peek(&s) == ']')
		return false;
	*ret_value = take_value(&s);
	walk->at = s.at;
	return true;
}

bool json_walk_next(struct json_walk *walk, struct json_span *ret_name,
		    struct json_span *ret_value)
{
	struct scan s = {.at = walk->at, .end = walk->end};

	skip_space(&s);
	take(&s, ',');
	skip_space(&s);
	if (peek(&s) != '"')
		return false;
	*ret_name = take_value(&s);
	skip_space(&s);
	take(&s, ':');
	*ret_value = take_value(&s);
	walk->at = s.at;
	return true;
}

/* *ret_found: how many of its members have been looked for. False: not an object, one of
 * them is there twice, or it has another and must not. */
static bool find_members(const struct json_span *object, const char *const *names,
			 struct json_span *values, size_t count, bool others,
			 size_t *ret_found)
{
	struct json_span name, value;
	struct json_walk walk;

	*ret_found = 0;
	for (size_t i = 0; i < count; i++)
		values[i] = (struct json_span){0};
	if (!json_walk_object(object->at, object->len, &walk))
		return false;
	while (json_walk_next(&walk, &name, &value)) {
		size_t i = find_name(&name, names, count);

		if (i == count && others)
			continue;
		if (i == count || values[i].at)
			return false;
		values[i] = value;
		++*ret_found;
	}
	return true;
}

bool json_pick(const struct json_span *object, const char *const *names,
	       struct json_span *ret_values, size_t count)
{
	size_t found;

	return find_members(object, names, ret_values, count, true, &found);
}

bool json_members(const char *json, size_t len, const char *const *names,
		  struct json_span *ret_values, size_t count)
{
	const struct json_span object = {json, len};
	size_t found;

	return find_members(&object, names, ret_values, count, false, &found) &&
	       found == count;
}

static void add_char(struct text *to, unsigned c)
{
	if (c < 0x80) {
		text_add_char(to, (char)c);
	} else if (c < 0x800) {
		text_add_char(to, (char)(0xc0 | c >> 6));
		text_add_char(to, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		text_add_char(to, (char)(0xe0 | c >> 12));
		text_add_char(to, (char)(0x80 | (c >> 6 & 0x3f)));
		text_add_char(to, (char)(0x80 | (c & 0x3f)));
	} else {
		text_add_char(to, (char)(0xf0 | c >> 18));
		text_add_char(to, (char)(0x80 | (c >> 12 & 0x3f)));
		text_add_char(to, (char)(0x80 | (c >> 6 & 0x3f)));
		text_add_char(to, (char)(0x80 | (c & 0x3f)));
	}
}

/* After the backslash. Pairs of surrogates are whole: json_check() saw to that. */
static void take_escape(struct scan *s, struct text *to)
{
	static const char letters[] = "bfnrt", bytes[] = "\b\f\n\r\t";
	const char *letter = strchr(letters, *s->at);
	unsigned c = 0, low = 0;

	if (*s->at != 'u') {
		text_add_char(to, letter ? bytes[letter - letters] : *s->at);
		s->at++;
		return;
	}
	s->at++;
	if (hex4(s, &c) && c >= 0xd800 && c <= 0xdbff) {
		s->at += 2;
		if (hex4(s, &low))
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	add_char(to, c);
}

bool json_add_unescaped(struct text *to, const struct json_span *string)
{
	struct scan s = {.at = string->at, .end = string->at + string->len};

	if (!take(&s, '"'))
		return false;
	while (peek(&s) >= 0 && peek(&s) != '"') {
		if (take(&s, '\\'))
			take_escape(&s, to);
		else
			text_add_char(to, *s.at++);
	}
	return true;
}

static const char *short_escape(unsigned char c)
{
	switch (c) {
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	case '\n':
		return "\\n";
	case '\r':
		return "\\r";
	case '\t':
		return "\\t";
	default:
		return NULL;
	}
}

static void add_escape(struct text *to, unsigned char c)
{
	const char *known = short_escape(c);

	if (known)
		text_add_str(to, known);
	else
		text_addf(to, "\\u%04x", c);
}

/* DEL is escaped too: legal in JSON, but a record is looked at on terminals. */
static bool must_escape(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\' || c == 0x7f;
}

static void add_utf8(struct text *to, const char *bytes, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		if (!must_escape((unsigned char)bytes[i]))
			continue;
		text_add(to, bytes + from, i - from);
		add_escape(to, (unsigned char)bytes[i]);
		from = i + 1;
	}
	text_add(to, bytes + from, len - from);
}

void json_add_string(struct text *to, const char *bytes, size_t len)
{
	text_add_char(to, '"');
	while (len) {
		size_t good = text_utf8_span(bytes, len);

		add_utf8(to, bytes, good);
		if (good == len)
			break;
		text_add_str(to, "\xef\xbf\xbd");
		bytes += good + 1;
		len -= good + 1;
	}
	text_add_char(to, '"');
}

void json_add_str(struct text *to, const char *str)
{
	if (str)
		json_add_string(to, str, strlen(str));
	else
		text_add_str(to, "null");
}
