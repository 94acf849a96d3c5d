/* SPDX-License-Identifier: MIT */
/*
 * The engine itself and the one file that knows its insides: duktape.c is compiled as
 * part of it. Written against Duktape 2.7; everything else in this directory uses the
 * public interface or peek.h.
 *
 * Functions that push may allocate, and an allocation may run the collector: values that
 * are looked at afterwards are taken from the value stack again, never from a pointer
 * kept across.
 */
#include "rootfs/duk_whole.h"
#include "rootfs/peek.h"

/* `value` and `handler` tell a throw from what the engine throws on after it unwound to a
 * handler further out: the same value, with a handler that lies higher on the stack. */
static struct {
	const char *file;
	size_t file_len;
	uint64_t value;
	uintptr_t handler;
	struct peek_throw last;
} watch;

static duk_hobject *object_at(duk_context *ctx, duk_idx_t idx)
{
	return duk_known_hobject(ctx, idx);
}

static enum peek_kind kind_of_class(unsigned class_number)
{
	static const unsigned char kinds[] = {
		[DUK_HOBJECT_CLASS_NONE] = PEEK_OTHER,
		[DUK_HOBJECT_CLASS_OBJECT] = PEEK_OBJECT,
		[DUK_HOBJECT_CLASS_ARRAY] = PEEK_ARRAY,
		[DUK_HOBJECT_CLASS_FUNCTION] = PEEK_FUNCTION,
		[DUK_HOBJECT_CLASS_ARGUMENTS] = PEEK_ARGUMENTS,
		[DUK_HOBJECT_CLASS_BOOLEAN] = PEEK_BOOLEAN,
		[DUK_HOBJECT_CLASS_DATE] = PEEK_DATE,
		[DUK_HOBJECT_CLASS_ERROR] = PEEK_ERROR,
		[DUK_HOBJECT_CLASS_JSON] = PEEK_OTHER,
		[DUK_HOBJECT_CLASS_MATH] = PEEK_OTHER,
		[DUK_HOBJECT_CLASS_NUMBER] = PEEK_NUMBER,
		[DUK_HOBJECT_CLASS_REGEXP] = PEEK_REGEXP,
		[DUK_HOBJECT_CLASS_STRING] = PEEK_STRING,
		[DUK_HOBJECT_CLASS_GLOBAL] = PEEK_OTHER,
		[DUK_HOBJECT_CLASS_SYMBOL] = PEEK_SYMBOL,
		[DUK_HOBJECT_CLASS_OBJENV] = PEEK_OTHER,
		[DUK_HOBJECT_CLASS_DECENV] = PEEK_OTHER,
		[DUK_HOBJECT_CLASS_POINTER] = PEEK_OTHER,
		[DUK_HOBJECT_CLASS_THREAD] = PEEK_OTHER,
		[DUK_HOBJECT_CLASS_ARRAYBUFFER] = PEEK_BUFFER,
		[DUK_HOBJECT_CLASS_DATAVIEW] = PEEK_BUFFER,
	};

	return class_number < sizeof(kinds) ? (enum peek_kind)kinds[class_number]
					    : PEEK_TYPED_ARRAY;
}

enum peek_kind peek_kind(duk_context *ctx, duk_idx_t idx)
{
	duk_hobject *object = object_at(ctx, idx);

	if (DUK_HOBJECT_IS_PROXY(object))
		return PEEK_PROXY;
	return kind_of_class(DUK_HOBJECT_GET_CLASS_NUMBER(object));
}

const char *peek_class_name(duk_context *ctx, duk_idx_t idx)
{
	duk_hobject *object = object_at(ctx, idx);

	return (const char *)DUK_HSTRING_GET_DATA(
		DUK_HOBJECT_GET_CLASS_STRING(ctx->heap, object));
}

enum peek_property peek_own(duk_context *ctx, duk_idx_t idx)
{
	duk_propdesc desc;
	duk_hobject *object = object_at(ctx, idx);
	duk_hstring *key = duk_known_hstring(ctx, -1);

	DUK_ASSERT(!DUK_HOBJECT_IS_PROXY(object));
	if (!duk_hobject_get_own_propdesc(ctx, object, key, &desc,
					  DUK_GETDESC_FLAG_PUSH_VALUE)) {
		duk_pop(ctx);
		return PEEK_NONE;
	}
	duk_remove(ctx, -2);
	if (!(desc.flags & DUK_PROPDESC_FLAG_ACCESSOR))
		return PEEK_DATA;
	duk_pop(ctx);
	return PEEK_ACCESSOR;
}

enum peek_property peek_own_name(duk_context *ctx, duk_idx_t idx, const char *name)
{
	duk_push_string(ctx, name);
	return peek_own(ctx, idx);
}

enum peek_property peek_own_index(duk_context *ctx, duk_idx_t idx, uint32_t index)
{
	duk_hobject *object = object_at(ctx, idx);
	duk_tval *at = duk_hobject_find_array_entry_tval_ptr(ctx->heap, object, index);

	if (at && !DUK_TVAL_IS_UNUSED(at)) {
		duk_push_tval(ctx, at);
		return PEEK_DATA;
	}
	duk_push_uint(ctx, index);
	duk_to_string(ctx, -1);
	return peek_own(ctx, idx);
}

uint32_t peek_keys(duk_context *ctx, duk_idx_t idx)
{
	duk_dup(ctx, idx);
	duk_hobject_get_enumerated_keys(
		ctx, DUK_ENUM_OWN_PROPERTIES_ONLY | DUK_ENUM_INCLUDE_SYMBOLS |
			     DUK_ENUM_SORT_ARRAY_INDICES | DUK_ENUM_NO_PROXY_BEHAVIOR);
	return (uint32_t)duk_get_length(ctx, -1);
}

uint32_t peek_length(duk_context *ctx, duk_idx_t idx)
{
	duk_hobject *object = object_at(ctx, idx);
	uint32_t length = 0;

	if (DUK_HOBJECT_IS_ARRAY(object))
		return ((duk_harray *)object)->length;
	if (DUK_HOBJECT_IS_BUFOBJ(object))
		return (uint32_t)(((duk_hbufobj *)object)->length >>
				  ((duk_hbufobj *)object)->shift);
	if (peek_own_name(ctx, idx, "length") == PEEK_DATA) {
		length = duk_is_number(ctx, -1) ? duk_get_uint(ctx, -1) : 0;
		duk_pop(ctx);
	}
	return length;
}

bool peek_prototype(duk_context *ctx, duk_idx_t idx)
{
	duk_hobject *proto = DUK_HOBJECT_GET_PROTOTYPE(ctx->heap, object_at(ctx, idx));

	if (!proto)
		return false;
	duk_push_hobject(ctx, proto);
	return true;
}

bool peek_has_more_than_elements(duk_context *ctx, duk_idx_t idx)
{
	duk_hobject *object = object_at(ctx, idx);

	for (unsigned i = 0; i < DUK_HOBJECT_GET_ENEXT(object); i++) {
		duk_hstring *key = DUK_HOBJECT_E_GET_KEY(ctx->heap, object, i);

		if (key && DUK_HOBJECT_E_SLOT_IS_ENUMERABLE(ctx->heap, object, i) &&
		    !DUK_HSTRING_HAS_HIDDEN(key) && !DUK_HSTRING_HAS_ARRIDX(key))
			return true;
	}
	return false;
}

enum peek_parent peek_parent(duk_context *ctx, duk_idx_t idx)
{
	duk_hobject *proto = DUK_HOBJECT_GET_PROTOTYPE(ctx->heap, object_at(ctx, idx));

	if (!proto)
		return PEEK_PARENT_NONE;
	if (proto == ctx->builtins[DUK_BIDX_OBJECT_PROTOTYPE])
		return PEEK_PARENT_OBJECT;
	if (proto == ctx->builtins[DUK_BIDX_ARRAY_PROTOTYPE])
		return PEEK_PARENT_ARRAY;
	return PEEK_PARENT_OTHER;
}

/* The next object of a prototype chain; NULL at its end or at a Proxy. */
static duk_hobject *chain_next(duk_context *ctx, duk_hobject *object)
{
	duk_hobject *proto = DUK_HOBJECT_GET_PROTOTYPE(ctx->heap, object);

	(void)ctx; /* the macro has no use for it on machines of 64 bits */
	return proto && !DUK_HOBJECT_IS_PROXY(proto) ? proto : NULL;
}

bool peek_is_error(duk_context *ctx, duk_idx_t idx)
{
	duk_hobject *object = object_at(ctx, idx);
	unsigned left = DUK_HOBJECT_PROTOTYPE_CHAIN_SANITY;

	if (DUK_HOBJECT_GET_CLASS_NUMBER(object) == DUK_HOBJECT_CLASS_ERROR)
		return true;
	for (; object && left; object = chain_next(ctx, object), left--)
		if (object == ctx->builtins[DUK_BIDX_ERROR_PROTOTYPE])
			return true;
	return false;
}

bool peek_inherited(duk_context *ctx, duk_idx_t idx, const char *name)
{
	duk_hobject *object = object_at(ctx, idx);
	unsigned left = DUK_HOBJECT_PROTOTYPE_CHAIN_SANITY;

	for (; object && left; object = chain_next(ctx, object), left--) {
		enum peek_property found;

		duk_push_hobject(ctx, object);
		found = peek_own_name(ctx, duk_get_top_index(ctx), name);
		duk_remove(ctx, found == PEEK_DATA ? -2 : -1);
		if (found != PEEK_NONE)
			return found == PEEK_DATA;
	}
	return false;
}

void peek_put_off_collection(duk_context *ctx)
{
	ctx->heap->ms_trigger_counter = 32768; /* allocations */
}

bool peek_is_collecting(duk_context *ctx)
{
	return ctx->heap->ms_running != 0;
}

void peek_primitive(duk_context *ctx, duk_idx_t idx)
{
	duk_xget_owndataprop_stridx_short(ctx, idx, DUK_STRIDX_INT_VALUE);
}

void peek_regexp(duk_context *ctx, duk_idx_t idx)
{
	char text[4];
	unsigned n = 0, flags;

	duk_xget_owndataprop_stridx_short(ctx, idx, DUK_STRIDX_INT_SOURCE);
	duk_xget_owndataprop_stridx_short(ctx, idx, DUK_STRIDX_INT_BYTECODE);
	flags = (unsigned char)duk_require_string(ctx, -1)[0];
	duk_pop(ctx);
	if (flags & DUK_RE_FLAG_GLOBAL)
		text[n++] = 'g';
	if (flags & DUK_RE_FLAG_IGNORE_CASE)
		text[n++] = 'i';
	if (flags & DUK_RE_FLAG_MULTILINE)
		text[n++] = 'm';
	duk_push_lstring(ctx, text, n);
}

/* Pushes the own property of the object at idx if it is text, else undefined. */
static void push_own_text(duk_context *ctx, duk_idx_t idx, const char *name)
{
	if (peek_own_name(ctx, idx, name) != PEEK_DATA) {
		duk_push_undefined(ctx);
	} else if (!duk_is_string(ctx, -1) || duk_is_symbol(ctx, -1)) {
		duk_pop(ctx);
		duk_push_undefined(ctx);
	}
}

/* [ ... function ] -> [ ... name file ] */
static struct peek_frame function_frame(duk_context *ctx, uint32_t pc)
{
	struct peek_frame frame = {.kind = PEEK_FRAME_NATIVE};
	duk_hobject *function = duk_get_hobject(ctx, -1);

	if (function && DUK_HOBJECT_IS_COMPFUNC(function)) {
		frame.kind = PEEK_FRAME_SCRIPT;
		frame.line = (uint32_t)duk_hobject_pc2line_query(ctx, -1, pc);
	}
	if (function && !DUK_HOBJECT_IS_PROXY(function)) {
		duk_idx_t idx = duk_get_top_index(ctx);

		push_own_text(ctx, idx, "name");
		push_own_text(ctx, idx, "fileName");
	} else {
		duk_push_undefined(ctx);
		duk_push_undefined(ctx);
	}
	duk_remove(ctx, -3);
	return frame;
}

struct peek_frame peek_trace(duk_context *ctx, duk_idx_t idx, unsigned n)
{
	struct peek_frame end = {.kind = PEEK_FRAME_END},
			  source = {.kind = PEEK_FRAME_SOURCE};
	double packed;

	duk_xget_owndataprop_stridx_short(ctx, idx, DUK_STRIDX_INT_TRACEDATA);
	if (!duk_is_array(ctx, -1) || peek_length(ctx, -1) <= 2 * n + 1) {
		duk_pop(ctx);
		return end;
	}
	duk_get_prop_index(ctx, -1, 2 * n + 1);
	packed = duk_get_number(ctx, -1);
	duk_pop(ctx);
	duk_get_prop_index(ctx, -1, 2 * n);
	duk_remove(ctx, -2);
	if (!duk_is_string(ctx, -1))
		return function_frame(ctx, (uint32_t)DUK_FMOD(packed, DUK_DOUBLE_2TO32));
	duk_push_undefined(ctx);
	duk_insert(ctx, -2);
	source.line = (uint32_t)DUK_FMOD(packed, DUK_DOUBLE_2TO32);
	if (packed >= DUK_DOUBLE_2TO32)
		source.kind = PEEK_FRAME_NATIVE; /* a place in the engine's own source */
	return source;
}

void peek_push_list(duk_context *ctx)
{
	duk_push_bare_array(ctx);
}

void peek_push_native(duk_context *ctx, duk_c_function call, int args, int magic,
		      const char *name)
{
	duk_push_c_function(ctx, call, args);
	if (magic)
		duk_set_magic(ctx, -1, magic);
	duk_push_string(ctx, name);
	duk_xdef_prop_stridx_short(ctx, -2, DUK_STRIDX_NAME, DUK_PROPDESC_FLAGS_C);
}

void peek_define(duk_context *ctx, duk_idx_t idx, const char *name)
{
	duk_hobject *object = object_at(ctx, idx);

	duk_push_string(ctx, name);
	duk_insert(ctx, -2);
	duk_hobject_define_property_internal(ctx, object, duk_known_hstring(ctx, -2),
					     DUK_PROPDESC_FLAGS_WC);
	duk_pop(ctx);
}

void peek_define_global(duk_context *ctx, const char *name)
{
	duk_push_global_object(ctx);
	duk_insert(ctx, -2);
	peek_define(ctx, duk_get_top_index(ctx) - 1, name);
	duk_pop(ctx);
}

static uint64_t hash_of(const duk_tval *value)
{
	uint64_t word = DUK_TVAL_GET_TAG(value);
	double number;

	if (DUK_TVAL_IS_NUMBER(value)) {
		number = DUK_TVAL_GET_NUMBER(value);
		if (number == 0 || DUK_ISNAN(number))
			number = 0; /* one word for both zeros; NaN shares it */
		memcpy(&word, &number, sizeof(word));
	} else if (DUK_TVAL_IS_HEAP_ALLOCATED(value)) {
		word = (uintptr_t)DUK_TVAL_GET_HEAPHDR(value); /* strings are interned */
	} else if (DUK_TVAL_IS_BOOLEAN(value)) {
		word += DUK_TVAL_GET_BOOLEAN(value);
	}
	word *= 0x9E3779B97F4A7C15u;
	return word ^ word >> 32;
}

uint64_t peek_hash(duk_context *ctx, duk_idx_t idx)
{
	return hash_of(duk_require_tval(ctx, idx));
}

bool peek_same_value_zero(duk_context *ctx, duk_idx_t a, duk_idx_t b)
{
	duk_tval *x = duk_require_tval(ctx, a), *y = duk_require_tval(ctx, b);

	if (DUK_TVAL_IS_NUMBER(x) && DUK_TVAL_IS_NUMBER(y) &&
	    DUK_TVAL_GET_NUMBER(x) == DUK_TVAL_GET_NUMBER(y))
		return true;
	return duk_js_samevalue(x, y);
}

void peek_watch_throws(const char *file, size_t file_len)
{
	watch.file = file;
	watch.file_len = file_len;
	memset(&watch.last, 0, sizeof(watch.last));
}

struct peek_throw peek_last_throw(void)
{
	return watch.last;
}

static bool is_of_watched_file(duk_hthread *thr, duk_hobject *function)
{
	duk_tval *file;

	if (!DUK_HOBJECT_IS_COMPFUNC(function))
		return false;
	file = duk_hobject_find_entry_tval_ptr_stridx(thr->heap, function,
						      DUK_STRIDX_FILE_NAME);
	return file && DUK_TVAL_IS_STRING(file) &&
	       DUK_HSTRING_GET_BYTELEN(DUK_TVAL_GET_STRING(file)) == watch.file_len &&
	       !memcmp(DUK_HSTRING_GET_DATA(DUK_TVAL_GET_STRING(file)), watch.file,
		       watch.file_len);
}

static uint32_t line_of_activation(duk_hthread *thr, duk_activation *act)
{
	duk_hobject *function = DUK_ACT_GET_FUNC(act);
	duk_tval *lines = duk_hobject_find_entry_tval_ptr_stridx(thr->heap, function,
								 DUK_STRIDX_INT_PC2LINE);

	if (!lines || !DUK_TVAL_IS_BUFFER(lines))
		return 0;
	return (uint32_t)duk__hobject_pc2line_query_raw(
		thr, (duk_hbuffer_fixed *)DUK_TVAL_GET_BUFFER(lines),
		duk_hthread_get_act_prev_pc(thr, act));
}

static bool is_thrown_on(duk_hthread *thr)
{
	uint64_t value = hash_of(&thr->heap->lj.value1);
	uintptr_t handler = (uintptr_t)thr->heap->lj.jmpbuf_ptr;
	bool on = watch.last.line && value == watch.value && handler > watch.handler;

	watch.value = value;
	watch.handler = handler;
	return on;
}

/* Runs between the decision to throw and the jump: must not allocate or throw. */
void hook_throwing(void *thread)
{
	duk_hthread *thr = thread;
	duk_activation *act;

	if (!watch.file || thr->heap->lj.type != DUK_LJ_TYPE_THROW)
		return;
	if (is_thrown_on(thr))
		return;
	watch.last.line = 0;
	/* The compiler throws again what it threw, when its context is gone already. */
	if (thr->compile_ctx)
		watch.last.offset = thr->compile_ctx->curr_token.start_offset;
	for (act = thr->callstack_curr; act; act = act->parent) {
		duk_hobject *function = DUK_ACT_GET_FUNC(act);

		if (!function || !is_of_watched_file(thr, function))
			continue;
		watch.last.line = line_of_activation(thr, act);
		return;
	}
}
