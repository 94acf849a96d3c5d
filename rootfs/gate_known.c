/* SPDX-License-Identifier: MIT */
/* What the engine has: which of its names are functions, and which lead to others. */
#include <string.h>

#include "rootfs/gate_core.h"

bool gate_is_global_object(struct gate_text name)
{
	static const char *const names[] = {"globalThis", "self", "window", "global"};

	return gate_text_is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

/* Objects with functions in them that are no functions. */
bool gate_is_namespace(struct gate_text name)
{
	static const char *const names[] = {"Math",	   "JSON",	  "Reflect",
					    "Atomics",	   "console",	  "Intl",
					    "WebAssembly", "performance", "crypto"};

	return gate_text_is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

static bool is_known_function(struct gate_text name)
{
	static const char *const names[] = {
		"Object",
		"Array",
		"String",
		"Number",
		"Boolean",
		"Symbol",
		"Function",
		"RegExp",
		"Date",
		"Error",
		"TypeError",
		"RangeError",
		"SyntaxError",
		"EvalError",
		"ReferenceError",
		"URIError",
		"Map",
		"Set",
		"WeakMap",
		"WeakSet",
		"Promise",
		"Proxy",
		"BigInt",
		"ArrayBuffer",
		"Uint8Array",
		"Int8Array",
		"Uint16Array",
		"Int16Array",
		"Uint32Array",
		"Int32Array",
		"Float32Array",
		"Float64Array",
		"DataView",
		"eval",
		"parseInt",
		"parseFloat",
		"isNaN",
		"isFinite",
		"setTimeout",
		"setInterval",
		"clearTimeout",
		"escape",
		"unescape",
		"encodeURIComponent",
		"encodeURI",
		"decodeURI",
		"decodeURIComponent",
		"atob",
		"btoa",
		"queueMicrotask",
		"clearInterval",
		"setImmediate",
		"clearImmediate",
		"structuredClone",
		"print",
	};

	return gate_text_is_one_of(name, names, sizeof(names) / sizeof(names[0]));
}

bool gate_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

bool gate_begins_capital(struct gate_text text)
{
	return text.len && text.at[0] >= 'A' && text.at[0] <= 'Z';
}

/* Does the path lead to a function of the engine? */
bool gate_leads_to_function(struct gate_text path)
{
	const char *dot = memchr(path.at, '.', path.len);
	struct gate_text first, last;

	if (!dot)
		return is_known_function(path);
	if (gate_text_ends(path, ".prototype"))
		return false;
	first = (struct gate_text){path.at, (uint32_t)(dot - path.at)};
	last = (struct gate_text){dot + 1, path.len - first.len - 1};
	dot = memchr(last.at, '.', last.len);
	if (dot && !(last.len > 10 && !memcmp(last.at, "prototype.", 10)))
		return false;
	if (!gate_is_namespace(first) && !is_known_function(first))
		return false;
	/* Constants: Math.PI, Number.MAX_VALUE, "".length */
	return last.len && !gate_begins_capital(last) &&
	       !gate_text_ends(path, ".length") && !gate_text_ends(path, ".name");
}

bool gate_is_path_of_engine(struct gate_value path)
{
	const char *dot = memchr(path.text, '.', path.n);
	struct gate_text first = {path.text, dot ? (uint32_t)(dot - path.text) : path.n};

	return gate_is_of_engine(first) || is_known_function(first) ||
	       gate_is_namespace(first);
}

bool gate_is_method_of_all(struct gate_text key)
{
	static const char *const names[] = {
		"toString",	    "valueOf",		"hasOwnProperty",
		"isPrototypeOf",    "toLocaleString",	"propertyIsEnumerable",
		"__defineGetter__", "__defineSetter__", "__lookupGetter__",
		"__lookupSetter__",
	};

	return gate_text_is_one_of(key, names, sizeof(names) / sizeof(names[0]));
}
