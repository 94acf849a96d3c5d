/* SPDX-License-Identifier: MIT */
/*
 * gen_quick LIBRARY FILE: takes the snapshot that quick.h describes, while quod is built. No
 * clock and no chance goes into it: the same module gives the same bytes.
 *
 * What quod-js assumes of the module is tried here, so that another version of it breaks
 * the build and not a jail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "rootfs/console.h"
#include "rootfs/hooks.h"
#include "rootfs/quick.h"
#include "rootfs/values.h"

#define MEMORY_BYTES ((size_t)64 << 20)
#define GUARD_BYTES  ((size_t)8 << 30)

/* What lies below is stack: kept is what the code that runs first will find there. */
#define STACK_KEPT 4096u

#define CONTEXT_BYTES 1024u

const char *const console_names[] = {
#define X(name) [CONSOLE_##name] = #name,
	CONSOLE_METHODS(X)
#undef X
};

static uint32_t context;

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "gen_quick: %s\n", what);
	exit(EXIT_FAILURE);
}

void quick_trapped(const char *why)
{
	fail(why);
}

void quick_exhausted(void)
{
	fail("out of memory");
}

void quick_stack_used_up(void)
{
	fail("out of stack");
}

double hook_now_ms(void)
{
	return 0;
}

double hook_monotonic_ms(void)
{
	return 0;
}

double hook_random(void)
{
	return 0.5;
}

static quick_value not_now(void *module, uint32_t from, quick_value self, uint32_t count,
			   uint32_t args, uint32_t magic)
{
	(void)module;
	(void)from;
	(void)self;
	(void)count;
	(void)args;
	(void)magic;
	fail("a script's function was called");
}

const quick_call quick_natives[NATIVES] = {
	[NATIVE_CONSOLE] = not_now,	[NATIVE_TIMER_SET] = not_now,
	[NATIVE_TIMER_CLEAR] = not_now, [NATIVE_RANDOM] = not_now,
	[NATIVE_COLLECT] = not_now,	[NATIVE_SHELL] = not_now,
};

const quick_tracker quick_rejection = NULL;

static uint32_t text(const char *s)
{
	uint32_t at = QJS(malloc, (uint32_t)strlen(s) + 1);

	memcpy(quick_at(at), s, strlen(s) + 1);
	return at;
}

static quick_value evaluate(const char *source)
{
	quick_value value = QJS(JS_Eval, context, text(source), (uint32_t)strlen(source),
				text("gen_quick"), 0);

	if (quick_tag(value) == TAG_EXCEPTION) {
		value = QJS(JS_GetException, context);
		fprintf(stderr, "%s\n%s\n", source,
			quick_at(QJS(JS_ToCStringLen2, context, 0, value, 0)));
		fail("a script of ours failed");
	}
	return value;
}

static void expect_tag(const char *source, int tag)
{
	quick_value value = evaluate(source);

	if (quick_tag(value) != tag) {
		fprintf(stderr, "%s: tag %d, not %d\n", source, quick_tag(value), tag);
		fail("values are kept in another way");
	}
	QJS(JS_FreeValue, context, value);
}

static void expect_tags(void)
{
	expect_tag("(1n<<70n)", TAG_BIGINT);
	expect_tag("Symbol('x')", TAG_SYMBOL);
	expect_tag("'x'", TAG_STRING);
	expect_tag("'x'.repeat(9999)+'y'.repeat(9999)", TAG_ROPE);
	expect_tag("({})", TAG_OBJECT);
	expect_tag("1", TAG_INT);
	expect_tag("true", TAG_BOOL);
	expect_tag("null", TAG_NULL);
	expect_tag("void 0", TAG_UNDEFINED);
	expect_tag("5n", TAG_SHORT_BIGINT);
}

/* The one word of the context that tells it how to compile. */
static uint32_t find_eval_slot(void)
{
	unsigned char before[CONTEXT_BYTES];
	uint32_t slot = 0;

	memcpy(before, quick_at(context), sizeof(before));
	QJS(JS_AddIntrinsicEval, context);
	for (uint32_t i = 0; i < CONTEXT_BYTES; i += 4) {
		if (!memcmp(before + i, quick_at(context + i), 4))
			continue;
		if (slot || quick_load32(context + i) >= QUICK_TABLE_FIRST)
			fail("the compiler is switched on in another way");
		slot = context + i;
	}
	if (!slot)
		fail("the compiler is switched on in another way");
	return slot;
}

static void make_context(void)
{
	Z_quickjsZ__initialize(&quick_module);
	quick.runtime = Z_quickjsZ_JS_NewRuntime(&quick_module);
	quick.context = context = QJS(JS_NewContextRaw, quick.runtime);
	QJS(JS_AddIntrinsicBaseObjects, context);
	quick.eval_slot = find_eval_slot();
	QJS(JS_AddIntrinsicDate, context);
	QJS(JS_AddIntrinsicRegExp, context);
	QJS(JS_AddIntrinsicJSON, context);
	QJS(JS_AddIntrinsicProxy, context);
	QJS(JS_AddIntrinsicMapSet, context);
	QJS(JS_AddIntrinsicTypedArrays, context);
	QJS(JS_AddIntrinsicPromise, context);
	QJS(JS_AddIntrinsicBigInt, context);
	QJS(JS_AddIntrinsicWeakRef, context);
	QJS(JS_AddPerformance, context);
}

/* A property that a script may change but does not see in a loop. */
static void define(quick_value object, const char *name, quick_value value)
{
	QJS(JS_DefinePropertyValueStr, context, object, text(name), value,
	    PROPERTY_CONFIGURABLE | PROPERTY_WRITABLE);
}

static void define_native(quick_value object, const char *name, enum quick_native native,
			  uint32_t length, uint32_t magic)
{
	define(object, name,
	       QJS(JS_NewCFunction2, context, QUICK_TABLE_FIRST + native, text(name),
		   length, FUNCTION_WITH_MAGIC, magic));
}

/* They take the makers' places where no code is made from text. */
static void define_shells(quick_value global)
{
	static const char *const names[] = {
#define X(name) [MAKER_##name] = #name,
		QUICK_MAKERS(X)
#undef X
	};
	quick_value shells = QJS(JS_NewArray, context);

	for (uint32_t i = 0; i < MAKERS; i++)
		QJS(JS_SetPropertyUint32, context, shells, i,
		    QJS(JS_NewCFunction2, context, QUICK_TABLE_FIRST + NATIVE_SHELL,
			text(names[i]), 1, MAKER_WITH_MAGIC, 0));
	define(global, "shells", shells);
}

static void define_console(quick_value global)
{
	quick_value console = QJS(JS_NewObject, context);

	for (unsigned i = 0; i < CONSOLE_METHODS_COUNT; i++)
		define_native(console, console_names[i], NATIVE_CONSOLE, 0, i);
	define(global, "console", console);
}

/* Shared memory has no one to be shared with; prepareStackTrace() would be a function of
 * the script's that runs while an error is told; the rest is newer than ECMAScript 2023. */
static const char *const left_out[] = {
	"SharedArrayBuffer",	 "Error.prepareStackTrace",
	"Error.stackTraceLimit", "Iterator",
	"SuppressedError",	 "DisposableStack",
	"AsyncDisposableStack",	 "Float16Array",
	"InternalError",	 "performance.timeOrigin",
};

/* Methods of iterators, too: a chain of them is followed on the native stack alone. */
static const char iterator_methods[] =
	"(p => Object.getOwnPropertyNames(p).forEach(n => delete p[n]))"
	"(Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())))";

static void leave_out(void)
{
	QJS(JS_FreeValue, context, evaluate(iterator_methods));
	for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
		char source[64];

		snprintf(source, sizeof(source), "delete %s", left_out[i]);
		QJS(JS_FreeValue, context, evaluate(source));
	}
}

static void define_ours(void)
{
	quick_value global = QJS(JS_GetGlobalObject, context);

	leave_out();
	define_native(evaluate("Math"), "random", NATIVE_RANDOM, 0, 0);
	define_native(global, "setTimeout", NATIVE_TIMER_SET, 2, 0);
	define_native(global, "setInterval", NATIVE_TIMER_SET, 2, 1);
	define_native(global, "clearTimeout", NATIVE_TIMER_CLEAR, 1, 0);
	define_native(global, "clearInterval", NATIVE_TIMER_CLEAR, 1, 0);
	define_native(global, "collect", NATIVE_COLLECT, 0, 0);
	define_console(global);
	define_shells(global);
	QJS(JS_SetHostPromiseRejectionTracker, quick.runtime,
	    QUICK_TABLE_FIRST + NATIVE_REJECTION, 0);
}

static char *read_file(const char *path)
{
	static char source[65536];
	FILE *file = fopen(path, "rb");
	size_t n = file ? fread(source, 1, sizeof(source) - 1, file) : 0;

	if (!n || n == sizeof(source) - 1 || ferror(file) || fclose(file))
		fail("cannot read the library");
	source[n] = '\0';
	return source;
}

static void run_library(const char *path)
{
	quick_value library = evaluate(read_file(path));

	define(QJS(JS_GetGlobalObject, context), "library", library);
	evaluate("library(globalThis); delete globalThis.library");
}

static void take_roots(void)
{
#define X(id, expression) quick.id = evaluate(expression);
	QUICK_ROOTS(X)
#undef X
	evaluate("delete globalThis.collect; delete globalThis.shells");
	quick.scratch = QJS(malloc, QUICK_SCRATCH_BYTES);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static enum value_kind kind_of_name(const char *name)
{
	static const struct {
		const char *name;
		enum value_kind kind;
	} kinds[] = {
		{"Object", IS_OBJECT},
		{"Array", IS_ARRAY},
		{"Error", IS_ERROR},
		{"Number", IS_BOXED},
		{"String", IS_BOXED},
		{"Boolean", IS_BOXED},
		{"Symbol", IS_BOXED},
		{"BigInt", IS_BOXED},
		{"Arguments", IS_ARGUMENTS},
		{"Date", IS_DATE},
		{"RegExp", IS_REGEXP},
		{"ArrayBuffer", IS_BUFFER},
		{"DataView", IS_BUFFER},
		{"Map", IS_MAP},
		{"Set", IS_SET},
		{"Promise", IS_PROMISE},
		{"WeakMap", IS_WEAK},
		{"WeakSet", IS_WEAK},
		{"WeakRef", IS_WEAK},
		{"Generator", IS_ITERATOR},
		{"AsyncGenerator", IS_ITERATOR},
	};

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	if (ends_with(name, " Iterator"))
		return IS_ITERATOR;
	return ends_with(name, "Array") ? IS_TYPED_ARRAY : IS_OTHER;
}

static void name_classes(void)
{
	for (uint32_t id = 1; id < QUICK_CLASSES_MOST; id++) {
		uint32_t atom = QJS(JS_GetClassName, quick.runtime, id);
		quick_value name;

		quick.kind_of_class[id] = IS_OTHER;
		if (!atom)
			continue;
		name = QJS(JS_AtomToString, context, atom);
		quick.kind_of_class[id] = (uint8_t)kind_of_name(
			(char *)quick_at(QJS(JS_ToCStringLen2, context, 0, name, 0)));
	}
	quick.script_function = QJS(JS_GetClassID, evaluate("(class{})"));
	if (QJS(JS_GetClassID, evaluate("new Map")) >= QUICK_CLASSES_MOST)
		fail("more classes than were expected");
}

static void save(const char *path)
{
	static const char nothing[QUICK_PAGE_BYTES];
	FILE *file = fopen(path, "wb");
	uint32_t end = quick_module.w2c_memory.size;

	quick.size = end;
	quick.stack_pointer = quick_module.w2c___stack_pointer;
	quick.base = quick.stack_pointer - STACK_KEPT;
	while (!quick_at(end)[-1])
		end--;
	quick.bytes = end - quick.base;
	if (!file || sizeof(quick) > QUICK_HEADER_BYTES ||
	    fwrite(&quick, sizeof(quick), 1, file) != 1 ||
	    fwrite(nothing, QUICK_HEADER_BYTES - sizeof(quick), 1, file) != 1 ||
	    fwrite(quick_at(quick.base), quick.bytes, 1, file) != 1 || fclose(file))
		fail("cannot write the snapshot");
}

int main(int argc, char **argv)
{
	unsigned char *memory = mmap(NULL, MEMORY_BYTES + GUARD_BYTES, PROT_NONE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (argc != 3)
		fail("two arguments: the library, and where to write the snapshot");
	if (memory == MAP_FAILED ||
	    mprotect(memory, MEMORY_BYTES, PROT_READ | PROT_WRITE) < 0)
		fail("no address space (ulimit -v?)");
	quick_link();
	quick_place(memory, MEMORY_BYTES);
	Z_quickjs_instantiate(&quick_module, NULL, NULL);
	make_context();
	expect_tags();
	define_ours();
	take_roots();
	run_library(argv[1]);
	name_classes();
	QJS(JS_RunGC, quick.runtime);
	save(argv[2]);
	return EXIT_SUCCESS;
}
