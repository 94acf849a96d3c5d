/* SPDX-License-Identifier: MIT */
/*
 * One table. Deadlines are short, so that many runs fit into a minute; what is killed, is
 * killed at any moment from its start to after its end.
 */
#include "tests/soak/kinds.h"

#include <signal.h>

#include "base/own.h"

#define RUN   "run", "-o", "json"
#define SHORT "--timeout", "10ms"
#define CODE(a)           \
	{                 \
		a, -1, -1 \
	}
#define CODES(a, b)      \
	{                \
		a, b, -1 \
	}
#define PLAIN		  BLOW_NONE, 0, 0
#define SIGNALED(sig, us) BLOW_SIGNAL, sig, us
#define CLOSED(us)	  BLOW_CLOSE, 0, us

/* clang-format off */
const struct kind kinds[] = {
	{"ok", 8, 0, 1, PLAIN, CODE(0), {RUN, "-e", "6 * 7"}},
	{"a long value", 3, 0, 1, PLAIN, CODE(0), {RUN, "-e", "new Array(60000).join('x')"}},
	{"logs and timers", 3, 0, 1, PLAIN, CODE(0),
	 {RUN, "-e", "console.log(1); setTimeout(function () { console.log(2) }, 3); true"}},
	{"input", 2, 0, 1, PLAIN, CODE(0), {RUN, "--input-json", "[1,2]", "-e", "input.length"}},
	{"three cases", 2, 0, 3, PLAIN, CODE(0), {RUN, "--cases", "@cases", "-e", "input"}},
	{"verdict", 2, 0, 1, PLAIN, CODE(1), {RUN, "--verdict", "-e", "({a: [1]})"}},
	{"throw", 3, 0, 1, PLAIN, CODE(1), {RUN, "-e", "console.log('x'); throw new Error('y')"}},
	{"no syntax", 2, 0, 1, PLAIN, CODE(1), {RUN, "-e", "b c"}},
	{"deep recursion", 3, 0, 1, PLAIN, CODE(1), {RUN, "-e", "(function f() { return f() + 1 })()"}},

	{"endless loop", 5, 0, 1, PLAIN, CODE(124), {RUN, SHORT, "-e", "for (;;);"}},
	{"endless regexp", 3, 0, 1, PLAIN, CODE(124),
	 {RUN, SHORT, "-e", "/(x+x+)+y/.test('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')"}},
	{"a timer far away", 4, 0, 1, PLAIN, CODE(124),
	 {RUN, SHORT, "-e", "setTimeout(function () {}, 1e6); 1"}},
	{"an endless timer", 3, 0, 1, PLAIN, CODE(124),
	 {RUN, SHORT, "-e", "setInterval(function () {}, 1)"}},
	{"memory by strings", 3, 0, 1, PLAIN, CODE(5),
	 {RUN, "--memory", "1M", "-e", "for (var s = 'x'; ; ) s += s"}},
	{"memory by arrays", 3, 0, 1, PLAIN, CODE(5),
	 {RUN, "--memory", "4M", "-e", "for (var a = []; ; ) a.push(new Uint8Array(100000))"}},
	{"flood of log", 3, 0, 1, PLAIN, CODE(6), {RUN, "-e", "for (;;) console.log('xxxxxxxxxxxxxxxx')"}},
	{"flood of value", 3, 0, 1, PLAIN, CODE(6),
	 {RUN, "-p", "verify", "-e", "new Array(2000).join('x')"}},

	{"not a source", 3, 0, 1, PLAIN, CODE(3), {RUN, "@quod"}},
	{"not an option", 2, KIND_COMPLAINS, 0, PLAIN, CODE(2), {RUN, "--timeout", "1x", "-e", "1"}},
	{"not an input", 2, KIND_COMPLAINS, 0, PLAIN, CODE(2), {RUN, "--input-json", "{", "-e", "1"}},
	{"no such file", 2, KIND_COMPLAINS, 0, PLAIN, CODE(2), {RUN, "/nonexistent.js"}},

	{"a crash", 3, KIND_LIES, 1, PLAIN, CODE(139), {RUN, "-e", "ready gate go log:x crash:16"}},
	{"a forbidden call", 3, KIND_LIES, 1, PLAIN, CODE(4), {RUN, "-e", "ready gate go call:41"}},
	{"a broken frame", 3, KIND_LIES, 1, PLAIN, CODE(128), {RUN, "-e", "ready gate go raw:ff wait"}},
	{"a false greeting", 2, KIND_LIES, 1, PLAIN, CODE(125), {RUN, "-e", "version:99 wait"}},
	{"an early end", 2, KIND_LIES, 1, PLAIN, CODE(128), {RUN, "-e", "ready gate go value:5 exit:3"}},
	{"a native flood", 3, KIND_LIES, 1, PLAIN, CODE(6), {RUN, "-e", "ready gate go flood:xxxx"}},
	{"a flood of diagnostics", 2, KIND_LIES, 1, PLAIN, CODE(124),
	 {RUN, SHORT, "-e", "ready gate go fill:2"}},
	{"native memory", 2, KIND_LIES, 1, PLAIN, CODES(5, 128),
	 {RUN, "--memory", "1M", "-e", "ready gate go eat"}},

	{"cancelled", 4, 0, 0, SIGNALED(SIGTERM, 20000), CODES(130, 128 + SIGTERM),
	 {RUN, "-e", "for (;;);"}},
	{"interrupted in its sleep", 2, 0, 0, SIGNALED(SIGINT, 20000), CODES(130, 128 + SIGINT),
	 {RUN, "-e", "setTimeout(function () {}, 1e6)"}},
	{"nobody reads on", 4, 0, 0, CLOSED(20000), CODE(130), {RUN, "-e", "for (;;);"}},
	{"killed", 4, KIND_KILLED, 0, SIGNALED(SIGKILL, 15000), CODES(128 + SIGKILL, 124),
	 {RUN, SHORT, "-e", "for (;;);"}},
	{"killed while it spins", 3, KIND_KILLED | KIND_HEARD, 0, SIGNALED(SIGKILL, 2000),
	 CODE(128 + SIGKILL), {"run", "-o", "ndjson", "-e", "console.log(1); for (;;);"}},
	{"killed in its sleep", 3, KIND_KILLED | KIND_HEARD, 0, SIGNALED(SIGKILL, 2000),
	 CODE(128 + SIGKILL),
	 {"run", "-o", "ndjson", "-e", "console.log(1); setTimeout(function () {}, 1e6)"}},
	{"killed among cases", 2, KIND_KILLED, 0, SIGNALED(SIGKILL, 20000), CODES(128 + SIGKILL, 0),
	 {RUN, "--cases", "@cases", "-e", "input"}},

	{"exec", 4, 0, 0, PLAIN, CODE(0), {"exec", "--", "@inmate", "environment"}},
	{"exec, too long", 3, KIND_COMPLAINS, 0, PLAIN, CODE(124),
	 {"exec", SHORT, "--", "@inmate", "spin"}},
	{"exec, cancelled", 3, KIND_COMPLAINS, 0, SIGNALED(SIGTERM, 20000), CODES(130, 128 + SIGTERM),
	 {"exec", "--", "@inmate", "pause"}},
	{"exec, killed", 3, KIND_KILLED, 0, SIGNALED(SIGKILL, 20000), CODE(128 + SIGKILL),
	 {"exec", "--", "@inmate", "pause"}},
	{"exec, killed in its sleep", 2, KIND_KILLED | KIND_HEARD, 0, SIGNALED(SIGKILL, 2000),
	 CODE(128 + SIGKILL), {"exec", "--", "@inmate", "pause"}},
	{"exec of nothing", 2, KIND_COMPLAINS, 0, PLAIN, CODE(127), {"exec", "--", "/nonexistent"}},
};
/* clang-format on */

const unsigned kinds_count = ARRAY_LEN(kinds);
