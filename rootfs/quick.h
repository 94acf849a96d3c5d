/* SPDX-License-Identifier: MIT */
/*
 * QuickJS as a module of WebAssembly, translated to C (wasm2c) and driven from outside.
 *
 * All that the engine has lies in one linear memory; it knows addresses only as 32-bit
 * offsets into that, and reaches nothing else: a bug in it stays there. The memory's
 * first megabyte is the stack of its C code, above that lie its data and its heap.
 *
 * The module does not start by running its own start code: a snapshot of its memory was
 * taken while quod was built (gen_quick.c), after the runtime, the context and our own
 * objects had been made, and is copied to where the memory lies. Offsets make that
 * possible at any address.
 */
#ifndef QUOD_JS_QUICK_H
#define QUOD_JS_QUICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rootfs/quickjs_wasm.h"

#define QUICK_PAGE_BYTES 65536u

/* A value as the engine keeps it in 64 bits: tag above, payload below. gen_quick.c checks
 * each of these on values that it makes. */
typedef uint64_t quick_value;

enum quick_tag {
	TAG_BIGINT = -9,
	TAG_SYMBOL = -8,
	TAG_STRING = -7,
	TAG_ROPE = -6, /* a string that is not yet joined */
	TAG_OBJECT = -1,
	TAG_INT = 0,
	TAG_BOOL = 1,
	TAG_NULL = 2,
	TAG_UNDEFINED = 3,
	TAG_EXCEPTION = 6,
	TAG_SHORT_BIGINT = 7,
};

#define QUICK(tag, payload) ((uint64_t)(uint32_t)(tag) << 32 | (uint32_t)(payload))
#define QUICK_UNDEFINED	    QUICK(TAG_UNDEFINED, 0)
#define QUICK_NULL	    QUICK(TAG_NULL, 0)
#define QUICK_EXCEPTION	    QUICK(TAG_EXCEPTION, 0)

static inline int quick_tag(quick_value value)
{
	return (int)(uint32_t)(value >> 32);
}

/* Flags of the engine's functions. */
enum quick_flag {
	EVAL_COMPILE_ONLY = 1 << 5,
	EVAL_ASYNC = 1 << 7,
	NAMES_STRINGS = 1 << 0,
	NAMES_SYMBOLS = 1 << 1,
	NAMES_ENUMERABLE = 1 << 4,
	PROPERTY_CONFIGURABLE = 1 << 0,
	PROPERTY_WRITABLE = 1 << 1,
	PROPERTY_GETSET = 1 << 4,
	FUNCTION_WITH_MAGIC = 1,
	MAKER_WITH_MAGIC = 5, /* that may be called, or asked for a new one */
};

/* What the engine writes for JS_GetOwnProperty() and JS_GetOwnPropertyNames(). */
#define DESCRIPTOR_VALUE 8u
#define DESCRIPTOR_BYTES 32u
#define NAME_BYTES	 8u
#define NAME_ATOM	 4u

/* Elements of the module's own table. */
#define QUICK_TABLE_FIRST 533u

/* Functions of ours that the engine calls, by their place behind those. The snapshot holds
 * these places. */
enum quick_native {
	NATIVE_CONSOLE,
	NATIVE_TIMER_SET,
	NATIVE_TIMER_CLEAR,
	NATIVE_RANDOM,
	NATIVE_COLLECT,
	NATIVE_SHELL,
	NATIVE_REJECTION, /* of another signature: see quick_tracker */
	NATIVES
};

typedef quick_value (*quick_call)(void *module, uint32_t context, quick_value self,
				  uint32_t count, uint32_t args, uint32_t magic);
typedef void (*quick_tracker)(void *module, uint32_t context, quick_value promise,
			      quick_value reason, uint32_t is_handled, uint32_t opaque);

extern const quick_call quick_natives[NATIVES];
extern const quick_tracker quick_rejection;

/* What makes functions out of text, in the order of `shells` and `function_prototypes`. */
#define QUICK_MAKERS(X)      \
	X(Function)          \
	X(GeneratorFunction) \
	X(AsyncFunction)     \
	X(AsyncGeneratorFunction)

enum quick_maker {
#define X(name) MAKER_##name,
	QUICK_MAKERS(X)
#undef X
		MAKERS
};

/* The engine's own functions and prototypes, taken before any script could change them.
 * X(id, expression that gives it) */
#define QUICK_ROOTS(X)                                                                 \
	X(object_prototype, "Object.prototype")                                        \
	X(array_prototype, "Array.prototype")                                          \
	X(error_prototype, "Error.prototype")                                          \
	X(function_text, "Function.prototype.toString")                                \
	X(error_stack, "Object.getOwnPropertyDescriptor(Error.prototype,'stack').get") \
	X(boolean_value, "Boolean.prototype.valueOf")                                  \
	X(number_value, "Number.prototype.valueOf")                                    \
	X(string_value, "String.prototype.valueOf")                                    \
	X(symbol_value, "Symbol.prototype.valueOf")                                    \
	X(bigint_value, "BigInt.prototype.valueOf")                                    \
	X(date_value, "Date.prototype.valueOf")                                        \
	X(symbol_text,                                                                 \
	  "Object.getOwnPropertyDescriptor(Symbol.prototype,'description').get")       \
	X(buffer_length,                                                               \
	  "Object.getOwnPropertyDescriptor(ArrayBuffer.prototype,'byteLength').get")   \
	X(view_length,                                                                 \
	  "Object.getOwnPropertyDescriptor(DataView.prototype,'byteLength').get")      \
	X(typed_length, "Object.getOwnPropertyDescriptor("                             \
			"Object.getPrototypeOf(Int8Array.prototype),'length').get")    \
	X(regexp_source,                                                               \
	  "Object.getOwnPropertyDescriptor(RegExp.prototype,'source').get")            \
	X(regexp_flags, "['hasIndices','global','ignoreCase','multiline','dotAll',"    \
			"'unicode','unicodeSets','sticky'].map(function(n){return "    \
			"Object.getOwnPropertyDescriptor(RegExp.prototype,n).get})")   \
	X(math, "Math")                                                                \
	X(json, "JSON")                                                                \
	X(reflect, "Reflect")                                                          \
	X(function_prototypes, "[function(){},function*(){},async function(){},async " \
			       "function*(){}].map(Object.getPrototypeOf)")            \
	X(shells, "shells")                                                            \
	X(eval_error, "EvalError")                                                     \
	X(bind, "Function.prototype.bind")                                             \
	X(range_error, "RangeError")                                                   \
	X(map_size, "Object.getOwnPropertyDescriptor(Map.prototype,'size').get")       \
	X(set_size, "Object.getOwnPropertyDescriptor(Set.prototype,'size').get")       \
	X(map_each, "Map.prototype.forEach")                                           \
	X(set_each, "Set.prototype.forEach")                                           \
	X(collect, "collect")                                                          \
	X(map_set, "Map.prototype.set")                                                \
	X(map_delete, "Map.prototype.delete")                                          \
	X(rejections, "new Map")                                                       \
	X(timers, "Object.create(null)")

/* Letters of the getters in regexp_flags. */
#define QUICK_REGEXP_FLAGS "dgimsuvy"

#define QUICK_SCRATCH_BYTES 512u
#define QUICK_CLASSES_MOST  80u

/* Before the memory in the snapshot's file. */
#define QUICK_HEADER_BYTES 4096u

/* Begins the snapshot; what follows are `bytes` of the memory from `base` on. */
struct quick_snapshot {
	uint32_t base, bytes;
	uint32_t size; /* of the whole memory */
	uint32_t stack_pointer;
	uint32_t runtime, context;
	uint32_t scratch;	  /* room of ours in the memory */
	uint32_t eval_slot;	  /* 0 written here: nothing is compiled any more */
	uint32_t script_function; /* class id of a function that has a source text */
#define X(id, expression) quick_value id;
	QUICK_ROOTS(X)
#undef X
	/* By the engine's class ids; enum value_kind. */
	uint8_t kind_of_class[QUICK_CLASSES_MOST];
};

extern struct quick_snapshot quick;
extern Z_quickjs_instance_t quick_module;

/* QJS(JS_Call, ...): a function of the engine. */
#define QJS(name, ...) Z_quickjsZ_##name(&quick_module, __VA_ARGS__)

/* Bytes of the memory. The offset is not checked: it comes from the engine, which may be
 * under the script's control, so `bytes` are to be read by quick_load() and quick_text(),
 * which look. */
static inline unsigned char *quick_at(uint32_t offset)
{
	return quick_module.w2c_memory.data + offset;
}

/* Inside of the memory, or the run ends as crashed. */
void quick_check(uint32_t offset, uint64_t bytes);
uint32_t quick_load32(uint32_t offset);
uint64_t quick_load64(uint32_t offset);

/* The memory's first bytes at `memory`, where `most` bytes may be used, zero from the end
 * of the snapshot on; grows up to `cap`. */
void quick_place(unsigned char *memory, uint64_t most);
void quick_set_cap(uint64_t cap);

/* Table and types of the module; before the first call of QJS(). */
void quick_link(void);

/* Called where the engine cannot go on. gen_quick.c has its own. */
_Noreturn void quick_trapped(const char *why);
_Noreturn void quick_exhausted(void);
_Noreturn void quick_stack_used_up(void);

/* The native stack ends here for the module's functions. */
extern uintptr_t quick_stack_floor;

#endif
