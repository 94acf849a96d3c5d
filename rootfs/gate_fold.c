/* SPDX-License-Identifier: MIT */
/* Operators over constants. What cannot be told stays unknown, never wrong. */
#include <math.h>
#include <string.h>

#include "rootfs/gate_core.h"

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 36;
}

static struct gate_value number_in(struct gate_text text, unsigned base)
{
	double value = 0;

	if (!text.len)
		return gate_value_of(GATE_UNKNOWN);
	for (uint32_t i = 0; i < text.len; i++) {
		if (text.at[i] == '_')
			continue;
		if (digit_of(text.at[i]) >= (int)base)
			return gate_value_of(GATE_UNKNOWN);
		value = value * base + digit_of(text.at[i]);
	}
	return gate_value_number(value);
}

/* Of fractions only those with few digits, which come out exactly. */
static struct gate_value decimal(struct gate_text text)
{
	double value = 0, scale = 1;
	uint32_t i = 0;

	for (;
	     i < text.len && text.at[i] != '.' && text.at[i] != 'e' && text.at[i] != 'E';
	     i++) {
		if (text.at[i] < '0' || text.at[i] > '9') {
			if (text.at[i] != '_')
				return gate_value_of(GATE_UNKNOWN);
			continue;
		}
		value = value * 10 + (text.at[i] - '0');
	}
	if (i < text.len && text.at[i] == '.')
		for (i++; i < text.len && text.at[i] >= '0' && text.at[i] <= '9'; i++) {
			value = value * 10 + (text.at[i] - '0');
			scale *= 10;
		}
	return i == text.len && value < 1e15 ? gate_value_number(value / scale)
					     : gate_value_of(GATE_UNKNOWN);
}

struct gate_value gate_fold_number(struct gate_text text)
{
	struct gate_text rest = {text.at + 2, text.len - 2};

	if (text.len > 2 && text.at[0] == '0') {
		switch (text.at[1] | 0x20) {
		case 'x':
			return number_in(rest, 16);
		case 'o':
			return number_in(rest, 8);
		case 'b':
			return number_in(rest, 2);
		default:
			break;
		}
	}
	/* 010 is eight, 08 is eight as well. */
	if (text.len > 1 && text.at[0] == '0' && text.at[1] >= '0' && text.at[1] <= '9')
		return gate_value_of(GATE_UNKNOWN);
	return decimal(text);
}

static uint32_t to_uint32(double number)
{
	double wrapped;

	if (isnan(number) || isinf(number))
		return 0;
	wrapped = fmod(trunc(number), 4294967296.0);
	return (uint32_t)(wrapped < 0 ? wrapped + 4294967296.0 : wrapped);
}

static int32_t to_int32(double number)
{
	uint32_t bits = to_uint32(number);
	int32_t value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static struct gate_value fold_numbers(TSSymbol op, double a, double b)
{
	switch (op) {
	case anon_sym_PLUS:
		return gate_value_number(a + b);
	case anon_sym_DASH:
		return gate_value_number(a - b);
	case anon_sym_STAR:
		return gate_value_number(a * b);
	case anon_sym_SLASH:
		return gate_value_number(a / b);
	case anon_sym_PERCENT:
		return gate_value_number(fmod(a, b));
	case anon_sym_AMP:
		return gate_value_number(to_int32(a) & to_int32(b));
	case anon_sym_PIPE:
		return gate_value_number(to_int32(a) | to_int32(b));
	case anon_sym_CARET:
		return gate_value_number(to_int32(a) ^ to_int32(b));
	case anon_sym_LT_LT: {
		uint32_t bits = to_uint32(a) << (to_uint32(b) & 31);

		return gate_value_number(to_int32(bits));
	}
	case anon_sym_GT_GT:
		return gate_value_number(to_int32(a) >> (to_uint32(b) & 31));
	case anon_sym_GT_GT_GT:
		return gate_value_number(to_uint32(a) >> (to_uint32(b) & 31));
	default:
		return gate_value_of(GATE_UNKNOWN);
	}
}

/* Does + with it make a string? */
static bool adds_as_text(struct gate_value value)
{
	switch (value.kind) {
	case GATE_STRING:
	case GATE_STRINGISH:
	case GATE_LIST:
	case GATE_OBJECT:
	case GATE_REGEXP:
	case GATE_FUNCTION:
	case GATE_CODE:
	case GATE_GLOBAL:
		return true;
	case GATE_PATH:
		return gate_leads_to_function((struct gate_text){value.text, value.n});
	default:
		return false;
	}
}

static struct gate_value fold_logical(struct gate *g, TSSymbol op, struct gate_value a,
				      struct gate_value b)
{
	int truth = gate_value_truth(a);

	if (op == anon_sym_QMARK_QMARK) {
		if (a.kind == GATE_UNDEFINED || a.kind == GATE_NULL)
			return b;
		if (truth == 1)
			return a;
	} else if (truth >= 0) {
		return truth == (op == anon_sym_PIPE_PIPE) ? a : b;
	}
	return gate_value_join(g, a, b);
}

struct gate_value gate_fold_binary(struct gate *g, TSSymbol op, struct gate_value a,
				   struct gate_value b)
{
	double x, y;

	switch (op) {
	case anon_sym_AMP_AMP:
	case anon_sym_PIPE_PIPE:
	case anon_sym_QMARK_QMARK:
		return fold_logical(g, op, a, b);
	case anon_sym_PLUS:
		if (adds_as_text(a) || adds_as_text(b))
			return gate_value_concat(g, a, b);
		break;
	default:
		break;
	}
	if (gate_value_to_number(a, &x) && gate_value_to_number(b, &y))
		return fold_numbers(op, x, y);
	return gate_value_of(GATE_UNKNOWN);
}

struct gate_value gate_fold_unary(struct gate *g, TSSymbol op, struct gate_value value)
{
	double number;

	(void)g;
	switch (op) {
	case anon_sym_BANG:
		if (gate_value_truth(value) < 0)
			return gate_value_of(GATE_UNKNOWN);
		return (struct gate_value){.kind = GATE_BOOLEAN,
					   .number = !gate_value_truth(value)};
	case anon_sym_void:
		return gate_value_of(GATE_UNDEFINED);
	case anon_sym_typeof:
		return gate_value_of(GATE_STRINGISH);
	case anon_sym_PLUS:
	case anon_sym_DASH:
	case anon_sym_TILDE:
		if (!gate_value_to_number(value, &number))
			return gate_value_of(GATE_UNKNOWN);
		if (op == anon_sym_TILDE)
			return gate_value_number(~to_int32(number));
		return gate_value_number(op == anon_sym_DASH ? -number : number);
	default:
		return gate_value_of(GATE_UNKNOWN);
	}
}
