/* SPDX-License-Identifier: MIT */
/*
 * The built-in policies. `verify` has the numbers of a verifier of small snippets; the
 * numbers of `default` are wider where those stop honest code; `open` is `default` with
 * the gate off.
 */
#include "policy/policy.h"

#include <string.h>

#include "base/own.h"

const char *const policy_mode_names[POLICY_MODES_COUNT] = {
#define X(id, name) [POLICY_MODE_##id] = name,
	POLICY_MODES(X)
#undef X
};

const char *const policy_engine_names[POLICY_ENGINES_COUNT] = {
#define X(id, name) [POLICY_ENGINE_##id] = name,
	POLICY_ENGINES(X)
#undef X
};

bool policy_engine_is_built(enum policy_engine engine)
{
#ifdef WITH_QUICKJS
	(void)engine;
	return true;
#else
	return engine != POLICY_ENGINE_QUICKJS;
#endif
}

#define LIMIT(id, number) [LIMIT_ID_##id] = (number)

/* What the built-in policies have in common. */
#define COMMON_LIMITS                                                                    \
	LIMIT(wall_ms, 5000), LIMIT(cpu_ms, 5000), LIMIT(cpu_percent, 100),              \
		LIMIT(memory_bytes, 32 * LIMITS_MIB), LIMIT(log_bytes, 64 * LIMITS_KIB), \
		LIMIT(log_lines, 1000), LIMIT(processes, 1)

#define WIDE_LIMITS                                                          \
	{                                                                    \
		{                                                            \
			COMMON_LIMITS, LIMIT(source_bytes, 64 * LIMITS_KIB), \
				LIMIT(stack_frames, 1000),                   \
				LIMIT(value_bytes, 64 * LIMITS_KIB)          \
		}                                                            \
	}

#define VERIFY_LIMITS                                                                    \
	{                                                                                \
		{                                                                        \
			COMMON_LIMITS, LIMIT(source_bytes, 10 * LIMITS_KIB),             \
				LIMIT(stack_frames, 100), LIMIT(value_bytes, LIMITS_KIB) \
		}                                                                        \
	}

/* The names that ECMAScript itself gives to a script that computes: no eval, no Function,
 * no globalThis, Proxy or Reflect, which are ways around names, no timers, and nothing
 * that shows when memory is collected. */
#define VERIFY_GLOBALS                                                                      \
	"Object Array String Number Boolean Symbol BigInt Math Date RegExp JSON Map Set "   \
	"WeakMap WeakSet Promise Error EvalError RangeError ReferenceError SyntaxError "    \
	"TypeError URIError AggregateError ArrayBuffer DataView Int8Array Uint8Array "      \
	"Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array "     \
	"Float64Array BigInt64Array BigUint64Array parseInt parseFloat isNaN isFinite "     \
	"encodeURI encodeURIComponent decodeURI decodeURIComponent NaN Infinity undefined " \
	"input console"

static const struct policy builtins[] = {
	{.name = "default",
	 .about = "scripts of every kind",
	 .base = "default",
	 .limits = WIDE_LIMITS,
	 .mode = POLICY_MODE_STANDARD,
	 .timers = true},
	{.name = "verify",
	 .about = "checks that end in true or false",
	 .base = "verify",
	 .limits = VERIFY_LIMITS,
	 .mode = POLICY_MODE_STANDARD,
	 .verdict = true,
	 .globals = VERIFY_GLOBALS},
	{.name = "open",
	 .about = "as default, nothing blocked by the gate",
	 .base = "open",
	 .limits = WIDE_LIMITS,
	 .mode = POLICY_MODE_OFF,
	 .timers = true,
	 .dynamic_code = true},
};

const struct policy *policy_builtin(size_t index)
{
	return index < ARRAY_LEN(builtins) ? &builtins[index] : NULL;
}

const struct policy *policy_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}

const struct rule *policy_rules(const struct policy *policy, size_t *ret_count)
{
	*ret_count = policy->rules ? policy->rules_count : rules_builtin_count;
	return policy->rules ? policy->rules : rules_builtin;
}
