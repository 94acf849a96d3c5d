/* SPDX-License-Identifier: MIT */
/*
 * What ECMAScript has, up to the edition of the newest engine and what that has ahead of
 * it, what the engines add, and what quod gives. An engine of another build may have
 * less: this is for warnings only.
 */
#include "policy/globals.h"

#include <string.h>

#include "base/own.h"

/* clang-format off */
static const char *const names[] = {
	/* --- values and functions --- */
	"globalThis", "Infinity", "NaN", "undefined", "eval", "isFinite", "isNaN",
	"parseFloat", "parseInt", "decodeURI", "decodeURIComponent", "encodeURI",
	"encodeURIComponent", "escape", "unescape",
	/* --- constructors --- */
	"AggregateError", "Array", "ArrayBuffer", "AsyncDisposableStack", "BigInt",
	"BigInt64Array", "BigUint64Array", "Boolean", "DataView", "Date",
	"DisposableStack", "Error", "EvalError", "FinalizationRegistry", "Float16Array",
	"Float32Array", "Float64Array", "Function", "Int8Array", "Int16Array",
	"Int32Array", "Iterator", "Map", "Number", "Object", "Promise", "Proxy",
	"RangeError", "ReferenceError", "RegExp", "Set", "SharedArrayBuffer", "String",
	"SuppressedError", "Symbol", "SyntaxError", "TypeError", "Uint8Array",
	"Uint8ClampedArray", "Uint16Array", "Uint32Array", "URIError", "WeakMap",
	"WeakRef", "WeakSet",
	/* --- objects --- */
	"Atomics", "JSON", "Math", "Reflect",
	/* --- what engines add --- */
	"DOMException", "InternalError", "TextDecoder", "TextEncoder", "atob", "btoa",
	"performance",
	/* --- what quod gives --- */
	"clearInterval", "clearTimeout", "console", "input", "queueMicrotask",
	"setInterval", "setTimeout",
};
/* clang-format on */

bool globals_know(const char *name, struct nearest *nearest)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!strcmp(names[i], name))
			return true;
		nearest_offer(nearest, names[i]);
	}
	return false;
}
