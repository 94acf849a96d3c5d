/* SPDX-License-Identifier: MIT */
/* What the analysis, or another part of quod-js, can say of a source by a name. */
#ifndef QUOD_JS_GATE_SIGNALS_H
#define QUOD_JS_GATE_SIGNALS_H

/* X(id, name): every signal that a rule may name. The last ones are raised by others. */
#define GATE_SIGNALS(X)                             \
	X(CODE_CONSTRUCTOR, "code-constructor")     \
	X(CONSTRUCTOR_CALL, "constructor-call")     \
	X(GLOBAL_DYNAMIC_KEY, "global-dynamic-key") \
	X(GLOBAL_ESCAPE, "global-escape")           \
	X(GLOBAL_GUARDED, "global-guarded")         \
	X(GLOBAL_ENUMERATION, "global-enumeration") \
	X(TIMER_STRING, "timer-string")             \
	X(DYNAMIC_IMPORT, "dynamic-import")         \
	X(MODULE_SYNTAX, "module-syntax")           \
	X(WITH_STATEMENT, "with-statement")         \
	X(PROTOTYPE_WRITE, "prototype-write")       \
	X(UNBOUNDED_LOOP, "unbounded-loop")         \
	X(RECURSION, "recursion")                   \
	X(LARGE_LITERAL, "large-literal")           \
	X(OBFUSCATION, "obfuscation")               \
	X(HTML_COMMENT, "html-comment")             \
	X(TOO_MANY_FINDINGS, "too-many-findings")   \
	X(TOO_DEEP, "too-deep")                     \
	X(UNEXAMINED, "unexamined")                 \
	X(ENGINE_DIALECT, "engine-dialect")         \
	X(ENGINE, "engine")                         \
	X(INPUT_JSON, "input-json")

enum gate_signal {
#define X(id, name) GATE_SIGNAL_##id,
	GATE_SIGNALS(X)
#undef X
		GATE_SIGNALS_COUNT
};

#endif
