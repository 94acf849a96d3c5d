/* SPDX-License-Identifier: MIT */
#ifndef QUOD_JS_VALUES_QUICK_H
#define QUOD_JS_VALUES_QUICK_H

#include "rootfs/quick_stack.h"

/* From now on `values` are those of the module. */
void values_of_quick(void);

/* The kind of a value that is an object. */
enum value_kind quick_object_kind(quick_value value);

/* values.class_name, values.push_frame */
const char *quick_class_name(int at);
struct value_frame quick_push_frame(int at, unsigned n);

/* The name under which the script is compiled: no script can tell. */
#define QUICK_FILE "script"

/* Characters that a wrapping put before the first line of the source: taken off the
 * columns that are told. */
void quick_set_skipped(uint32_t characters);

/* NATIVE_COLLECT: puts the arguments of forEach() into a list. */
quick_value quick_collect(void *module, uint32_t context, quick_value self,
			  uint32_t count, uint32_t args, uint32_t magic);

#endif
