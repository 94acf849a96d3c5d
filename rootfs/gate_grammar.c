/* SPDX-License-Identifier: MIT */
/*
 * The part of the JavaScript grammar that is code: its scanner asks libc what a space and
 * what a letter is. Libcs differ in that, and from JavaScript; here it is told what the
 * language says.
 */
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>
#include <wctype.h>

static inline bool gate_is_space(int32_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
	       c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
}

static inline bool gate_is_digit(int32_t c)
{
	return c >= '0' && c <= '9';
}

/* Asked after `in` and `instanceof`: does a name go on here? */
static inline bool gate_is_name(int32_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || gate_is_digit(c) ||
	       c == '_' || c == '$' || c == '\\' || (c > 0x7f && !gate_is_space(c));
}

#undef iswspace
#undef iswdigit
#undef iswalpha
#define iswspace gate_is_space
#define iswdigit gate_is_digit
#define iswalpha gate_is_name

#include "src/scanner.c"
