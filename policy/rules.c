/* SPDX-License-Identifier: MIT */
/*
 * The built-in rules. `deny` is what a source that only computes has no use for: a way to
 * code that was not examined, or to a host. `warn` is what honest code does too, but
 * seldom, or what only names a thing that is not here. `info` is worth reading.
 *
 * The order is that of the record: reaching out, ways to code, shapes, what others raise.
 */
#include "policy/rules.h"

#include <string.h>

#include "base/own.h"

const char *const rule_kind_names[RULE_KINDS_COUNT] = {
#define X(id, name, what) [RULE_##id] = (name),
	RULE_KINDS(X)
#undef X
};

const char *const rule_severity_names[RULE_SEVERITIES_COUNT] = {
#define X(id, name) [RULE_SEVERITY_##id] = (name),
	RULE_SEVERITIES(X)
#undef X
};

/* clang-format off */
#define GLOBAL(name) {RULE_GLOBAL, (name)}
#define MEMBER(path) {RULE_MEMBER, (path)}
#define SYNTAX(node) {RULE_SYNTAX, (node)}
#define SIGNAL(name) {RULE_SIGNAL, (name)}
/* clang-format on */
#define MATCHES(...)                                                        \
	.matches = (const struct rule_match[]){__VA_ARGS__},                \
	.matches_count = sizeof((const struct rule_match[]){__VA_ARGS__}) / \
			 sizeof(struct rule_match)

#define DENY(text) .severity = RULE_SEVERITY_DENY, .message = (text)
#define WARN(text) .severity = RULE_SEVERITY_WARN, .message = (text)
#define INFO(text) .severity = RULE_SEVERITY_INFO, .message = (text)

const struct rule rules_builtin[] = {
	/* --- reaching out of the script --- */
	{
		.name = "require",
		DENY("a module is loaded with require"),
		.why = "There are no modules here; whoever asks for one wants files, "
		       "processes or the network.",
		MATCHES(GLOBAL("require"), MEMBER("module.require")),
	},
	{
		.name = "import",
		DENY("a module is imported"),
		.why = "import() loads code that was not examined.",
		MATCHES(SIGNAL("dynamic-import")),
	},
	{
		.name = "module-syntax",
		DENY("import or export makes this a module"),
		.why = "The source is run as a script; there is nothing to import from or "
		       "to export to.",
		MATCHES(SIGNAL("module-syntax")),
	},
	{
		.name = "process",
		DENY("the process of the host is used"),
		.why = "It is the way to the environment, to native bindings and to an "
		       "early exit.",
		MATCHES(GLOBAL("process")),
	},
	{
		.name = "child-process",
		DENY("other programs would be started"),
		.why = "A script that only computes starts no program.",
		MATCHES(GLOBAL("child_process")),
	},
	{
		.name = "module-path",
		DENY("the path of the script is asked for"),
		.why = "The script has no file, and the paths of the host are not its "
		       "business.",
		MATCHES(GLOBAL("__dirname"), GLOBAL("__filename")),
	},
	{
		.name = "fetch",
		DENY("the network is asked with fetch"),
		.why = "A run has no network.",
		MATCHES(GLOBAL("fetch")),
	},
	{
		.name = "xml-http-request",
		DENY("the network is asked with XMLHttpRequest"),
		.why = "A run has no network.",
		MATCHES(GLOBAL("XMLHttpRequest")),
	},
	{
		.name = "web-socket",
		DENY("a connection is opened"),
		.why = "A run has no network.",
		MATCHES(GLOBAL("WebSocket"), GLOBAL("EventSource"),
			GLOBAL("WebTransport"), GLOBAL("RTCPeerConnection"),
			GLOBAL("BroadcastChannel")),
	},
	{
		.name = "import-scripts",
		DENY("scripts are loaded with importScripts"),
		.why = "It loads code that was not examined.",
		MATCHES(GLOBAL("importScripts")),
	},
	{
		.name = "worker",
		DENY("a worker is started"),
		.why = "A worker runs code that was not examined, beside the script.",
		MATCHES(GLOBAL("Worker"), GLOBAL("SharedWorker"), GLOBAL("ServiceWorker"),
			GLOBAL("ServiceWorkerContainer"), GLOBAL("Worklet")),
	},
	{
		.name = "host-runtime",
		DENY("the program that would run the script is addressed"),
		.why = "It is the way from the language to files, processes and the "
		       "network.",
		MATCHES(GLOBAL("Deno"), GLOBAL("Bun"), GLOBAL("WScript"),
			GLOBAL("ActiveXObject"), GLOBAL("Packages"), GLOBAL("Java"),
			GLOBAL("JavaImporter")),
	},
	{
		.name = "engine-internals",
		DENY("the inside of an engine is used"),
		.why = "These are there to look into the engine or to load files, not to "
		       "compute.",
		MATCHES(GLOBAL("Duktape"), GLOBAL("scriptArgs"), GLOBAL("__loadScript"),
			GLOBAL("loadScript"), GLOBAL("$262")),
	},
	{
		.name = "timer",
		DENY("a timer is set"),
		.unless = RULE_UNLESS_TIMERS,
		.why = "Where a policy has no timers, what a timer would do is never done.",
		MATCHES(GLOBAL("setTimeout"), GLOBAL("setInterval"),
			GLOBAL("setImmediate"), GLOBAL("requestAnimationFrame"),
			GLOBAL("requestIdleCallback")),
	},
	{
		.name = "page",
		WARN("a browser's page is used"),
		.why = "There is no page: without a test with typeof this throws.",
		MATCHES(GLOBAL("document"), GLOBAL("navigator"), GLOBAL("location"),
			GLOBAL("alert"), GLOBAL("prompt"), GLOBAL("confirm")),
	},
	{
		.name = "storage",
		WARN("what a browser stores is used"),
		.why = "Nothing outlives a run, and nothing of an earlier one is here.",
		MATCHES(GLOBAL("localStorage"), GLOBAL("sessionStorage"),
			GLOBAL("indexedDB"), GLOBAL("caches"), GLOBAL("cookieStore")),
	},
	{
		.name = "shared-memory",
		WARN("memory is shared"),
		.why = "There is nobody to share it with; it is best known as a clock for "
		       "timing attacks.",
		MATCHES(GLOBAL("SharedArrayBuffer"), GLOBAL("Atomics")),
	},
	{
		.name = "guarded-global",
		WARN("a host's global is used behind a test with typeof"),
		.why = "It is not here, so nothing is done; elsewhere it would be.",
		MATCHES(SIGNAL("global-guarded")),
	},
	{
		.name = "module-exports",
		INFO("a module's exports are used"),
		.why = "The script is no module: without a test with typeof this throws.",
		MATCHES(GLOBAL("module"), GLOBAL("exports"), GLOBAL("define")),
	},

	/* --- ways to code that was not examined --- */
	{
		.name = "eval",
		DENY("code is made from text with eval"),
		.why = "What the text will be cannot be examined before it runs.",
		MATCHES(GLOBAL("eval"), GLOBAL("execScript")),
	},
	{
		.name = "function-constructor",
		DENY("the constructor of functions is used"),
		.why = "Function makes code from text that cannot be examined before it "
		       "runs.",
		MATCHES(GLOBAL("Function")),
	},
	{
		.name = "code-constructor",
		DENY("a constructor of code is reached through a function"),
		.why = "Any function's constructor makes code from text, as eval does.",
		MATCHES(SIGNAL("code-constructor")),
	},
	{
		.name = "constructor-call",
		DENY("a constructor is called that was got from a value"),
		.why = "If the value is a function, this makes code from text.",
		MATCHES(SIGNAL("constructor-call")),
	},
	{
		.name = "timer-string",
		DENY("a timer is given text to run"),
		.why = "The text is code that was not examined.",
		MATCHES(SIGNAL("timer-string")),
	},
	{
		.name = "code-loader",
		DENY("code is compiled by other means"),
		.why = "What is compiled there cannot be examined before it runs.",
		MATCHES(GLOBAL("WebAssembly"), GLOBAL("ShadowRealm"),
			GLOBAL("Compartment")),
	},
	{
		.name = "global-object",
		WARN("the global object is used"),
		.why = "Through it every global can be reached without being named.",
		MATCHES(GLOBAL("globalThis"), GLOBAL("global"), GLOBAL("window"),
			GLOBAL("self")),
	},
	{
		.name = "global-dynamic-key",
		DENY("a global is looked up by a name that is only known when it runs"),
		.why = "It may be any of them, those that other rules forbid too.",
		MATCHES(SIGNAL("global-dynamic-key")),
	},
	{
		.name = "global-escape",
		DENY("the global object is handed to where it cannot be followed"),
		.why = "From there any global can be reached without being named, or "
		       "changed.",
		MATCHES(SIGNAL("global-escape")),
	},
	{
		.name = "global-enumeration",
		DENY("the globals are listed"),
		.why = "So one finds what must not be named.",
		MATCHES(SIGNAL("global-enumeration")),
	},
	{
		.name = "with-statement",
		DENY("with makes names of properties"),
		.why = "What a name means inside cannot be told before it runs.",
		MATCHES(SIGNAL("with-statement")),
	},
	{
		.name = "prototype-write",
		WARN("a built-in prototype is changed"),
		.why = "From then on the built-ins of the whole script behave otherwise.",
		MATCHES(SIGNAL("prototype-write")),
	},
	{
		.name = "proto-access",
		WARN("__proto__ is used"),
		.why = "It leads from any value to the prototypes that all values share.",
		MATCHES(MEMBER("*.__proto__")),
	},
	{
		.name = "legacy-accessors",
		WARN("accessors are read or defined in the old manner"),
		.why = "They are a side door to properties, rarely used but to hide it.",
		MATCHES(MEMBER("*.__defineGetter__"), MEMBER("*.__defineSetter__"),
			MEMBER("*.__lookupGetter__"), MEMBER("*.__lookupSetter__")),
	},
	{
		.name = "stack-hook",
		WARN("the making of stack traces is changed"),
		.why = "In other engines the frames of the caller can be reached so.",
		MATCHES(MEMBER("Error.prepareStackTrace"),
			MEMBER("Error.captureStackTrace")),
	},

	/* --- shapes that a reader should look at --- */
	{
		.name = "obfuscation",
		WARN("the source hides what it does"),
		.why = "Code that was written to be read looks otherwise.",
		MATCHES(SIGNAL("obfuscation")),
	},
	{
		.name = "html-comment",
		DENY("a comment begins or ends as in HTML"),
		.why = "Engines disagree on where it ends: what was examined may not be "
		       "what runs.",
		MATCHES(SIGNAL("html-comment")),
	},
	{
		.name = "unbounded-loop",
		WARN("a loop has no way out"),
		.why = "It ends only with the run's time.",
		MATCHES(SIGNAL("unbounded-loop")),
	},
	{
		.name = "recursion",
		INFO("a function calls itself"),
		.why = "It can run into the limit of call depth.",
		MATCHES(SIGNAL("recursion")),
	},
	{
		.name = "large-literal",
		INFO("a literal is larger than 4 KiB"),
		.why = "Data of that size may be code in disguise.",
		MATCHES(SIGNAL("large-literal")),
	},
	{
		.name = "debugger",
		INFO("a debugger statement was left in"),
		.why = "Nothing stops there.",
		MATCHES(SYNTAX("debugger_statement")),
	},

	/* --- where the analysis ends --- */
	{
		.name = "too-many-findings",
		WARN("there are more findings than are told"),
		.why = "The first of each rule is among those that are; of the others some "
		       "were left out.",
		MATCHES(SIGNAL("too-many-findings")),
	},
	{
		.name = "too-deep",
		DENY("the source is nested too deeply to be examined"),
		.why = "What is further inside was not looked at.",
		MATCHES(SIGNAL("too-deep")),
	},
	{
		.name = "unexamined",
		DENY("the engine accepts the source, but parts were not understood"),
		.why = "What was not examined must not run.",
		MATCHES(SIGNAL("unexamined")),
	},

	/* --- what quod-js itself refuses to run --- */
	{
		.name = "engine",
		DENY("this build does not have the engine that is asked for"),
		.always = true,
		MATCHES(SIGNAL("engine")),
	},
	{
		.name = "engine-dialect",
		DENY("the engine would run this with another meaning"),
		.why = "To Duktape const is var, a function in a block belongs to the "
		       "function around it, and __proto__ in a literal is a property; to "
		       "QuickJS a parameter that a function in a default value names is "
		       "two variables. The result could be wrong without a word.",
		.always = true,
		MATCHES(SIGNAL("engine-dialect")),
	},
	{
		.name = "input-json",
		DENY("the input is not JSON"),
		.always = true,
		MATCHES(SIGNAL("input-json")),
	},
};

const size_t rules_builtin_count = ARRAY_LEN(rules_builtin);

const struct rule *rules_find(const struct rule *rules, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(rules[i].name, name))
			return &rules[i];
	return NULL;
}
