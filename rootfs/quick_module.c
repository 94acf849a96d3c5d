/* SPDX-License-Identifier: MIT */
/*
 * The module's C code and what it asks of its runtime: memory, table, types, traps. All
 * of it is static: nothing is allocated, so that it can start under the inner filter.
 *
 * Loads and stores are not checked one by one. An address is a 32-bit offset plus a 32-bit
 * constant, so behind the memory 8 GiB lie reserved that cannot be touched; whoever reads
 * or writes past what was granted gets a SIGSEGV, which no handler catches.
 */
#include <stdarg.h>

#include "rootfs/quick.h"

uintptr_t quick_stack_floor;

/* Where the native stack is now: the frame's address would cost every function of the
 * module a register. */
static inline uintptr_t stack_pointer(void)
{
	uintptr_t at;

#if defined(__x86_64__)
	__asm__("mov %%rsp, %0" : "=r"(at));
#elif defined(__aarch64__)
	__asm__("mov %0, sp" : "=r"(at));
#else
	at = (uintptr_t)__builtin_frame_address(0);
#endif
	return at;
}

/* At the beginning of every function of the module: the build puts it there. */
#define QUICK_PROLOGUE                                                \
	if (__builtin_expect(stack_pointer() < quick_stack_floor, 0)) \
		wasm_rt_trap(WASM_RT_TRAP_EXHAUSTION);

#define NDEBUG
#include "rootfs/quickjs_wasm.c"
#undef NDEBUG

#define TYPES_MOST 112u

Z_quickjs_instance_t quick_module;
struct quick_snapshot quick;

static wasm_rt_funcref_t table[QUICK_TABLE_FIRST + NATIVES];
static uint64_t cap_bytes;

static const char *trap_text(wasm_rt_trap_t code)
{
	switch (code) {
	case WASM_RT_TRAP_OOB:
		return "access out of bounds";
	case WASM_RT_TRAP_INT_OVERFLOW:
	case WASM_RT_TRAP_DIV_BY_ZERO:
	case WASM_RT_TRAP_INVALID_CONVERSION:
		return "impossible arithmetic";
	case WASM_RT_TRAP_UNREACHABLE:
		return "it gave itself up";
	case WASM_RT_TRAP_CALL_INDIRECT:
		return "call of what is no such function";
	case WASM_RT_TRAP_EXHAUSTION:
	case WASM_RT_TRAP_NONE:
	case WASM_RT_TRAP_UNCAUGHT_EXCEPTION:
		break;
	}
	return "unknown";
}

void wasm_rt_trap(wasm_rt_trap_t code)
{
	if (code == WASM_RT_TRAP_EXHAUSTION)
		quick_stack_used_up();
	quick_trapped(trap_text(code));
}

bool wasm_rt_is_initialized(void)
{
	return true;
}

/* Equal types get equal numbers: the module's functions and ours are compared by them. */
uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...)
{
	static uint64_t types[TYPES_MOST];
	static uint32_t count;
	uint64_t key = params * 2 + results;
	va_list kinds;
	uint32_t i;

	va_start(kinds, results);
	for (i = 0; i < params + results; i++)
		key = key * 7 + va_arg(kinds, unsigned);
	va_end(kinds);
	for (i = 0; i < count; i++)
		if (types[i] == key)
			return i + 1;
	if (count == TYPES_MOST)
		quick_trapped("more types than it has");
	types[count++] = key;
	return count;
}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *to, uint32_t elements,
				    uint32_t most)
{
	(void)most;
	if (elements != QUICK_TABLE_FIRST)
		quick_trapped("another table than was expected");
	to->data = table;
	to->size = to->max_size = QUICK_TABLE_FIRST + NATIVES;
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *unused)
{
	(void)unused;
}

/* Of a module that is started from nothing: where quick_place() put the memory. */
void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t most)
{
	(void)most;
	memory->pages = pages;
	memory->max_pages = 65535;
	memory->size = pages * QUICK_PAGE_BYTES;
}

void wasm_rt_free_memory(wasm_rt_memory_t *unused)
{
	(void)unused;
}

/*
 * The collector of cycles runs by itself when the heap has grown by half. Near the cap that
 * is too late: whenever half of what was left is used up, or what is left would not do for
 * two more of the kind, it is asked to run at the next chance. A refusal ends the run, so
 * that no script sees an allocation fail.
 */
static void ask_for_collection(uint64_t size, uint64_t growth)
{
	static uint64_t asked_at;

	if (size - asked_at < (cap_bytes - asked_at) / 2 &&
	    cap_bytes - size >= 2 * growth)
		return;
	asked_at = size;
	QJS(JS_SetGCThreshold, quick.runtime, 0);
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t pages)
{
	uint32_t before = memory->pages;
	uint64_t size = ((uint64_t)before + pages) * QUICK_PAGE_BYTES;

	if (size > cap_bytes)
		quick_exhausted();
	memory->pages = before + pages;
	memory->size = (uint32_t)size;
	if (quick.runtime && pages)
		ask_for_collection(size, (uint64_t)pages * QUICK_PAGE_BYTES);
	return before;
}

void quick_place(unsigned char *memory, uint64_t most)
{
	quick_module.w2c_memory.data = memory;
	quick_set_cap(most);
}

/* The size of the memory is a number of 32 bits. */
void quick_set_cap(uint64_t cap)
{
	cap_bytes = cap < UINT32_MAX ? cap : UINT32_MAX & ~(QUICK_PAGE_BYTES - 1);
}

void quick_check(uint32_t offset, uint64_t bytes)
{
	if (offset + bytes > quick_module.w2c_memory.size)
		quick_trapped(trap_text(WASM_RT_TRAP_OOB));
}

uint32_t quick_load32(uint32_t offset)
{
	quick_check(offset, sizeof(uint32_t));
	return i32_load(&quick_module.w2c_memory, offset);
}

uint64_t quick_load64(uint32_t offset)
{
	quick_check(offset, sizeof(uint64_t));
	return i64_load(&quick_module.w2c_memory, offset);
}

static void link_native(enum quick_native native, uint32_t type,
			wasm_rt_function_ptr_t function)
{
	table[QUICK_TABLE_FIRST + native] = (wasm_rt_funcref_t){
		.func_type = type,
		.func = function,
		.module_instance = &quick_module,
	};
}

void quick_link(void)
{
	uint32_t call, tracker;

	init_func_types();
	init_tables(&quick_module);
	call = wasm_rt_register_func_type(5, 1, WASM_RT_I32, WASM_RT_I64, WASM_RT_I32,
					  WASM_RT_I32, WASM_RT_I32, WASM_RT_I64);
	tracker = wasm_rt_register_func_type(5, 0, WASM_RT_I32, WASM_RT_I64, WASM_RT_I64,
					     WASM_RT_I32, WASM_RT_I32);
	for (unsigned i = 0; i < NATIVES; i++)
		link_native(i, call, (wasm_rt_function_ptr_t)quick_natives[i]);
	link_native(NATIVE_REJECTION, tracker, (wasm_rt_function_ptr_t)quick_rejection);
}
