#!/usr/bin/env node
// Every node that the grammar names, each in a place where it may stand. Not a program:
// it is read, and never run.
import def, { one as two, "three" as four } from "module" with { type: "json" };
import * as all from "module";
export { two, four as "five" };
export * as names from "module";
export default class extends def {}

/* declarations, patterns */
var a = 1, [b, , c = 2, ...d] = [1, , ...e];
let { f, g: h, i = 3, ["j" + 1]: k, ...l } = { f, g: 1, [m]: 2, "n": 3, 4: 5, ...o };
const p = function q(r, s = 1, { t }, [u], ...v) { return new.target; };
function* w() { yield; yield* x; }
const y = function* () {};
async function z() { await a; for await (const b of c) ; }

@decorated
class A extends (B, C) {
	static #secret = 1;
	field;
	"string" = 2;
	[computed] = 3;
	static { this.ready = true; }
	constructor() { super(); super.method(); }
	get value() { return this.#secret; }
	set value(v) {}
	static async *method() {}
	@bound handler() {}
	test(o) { return #secret in o; }
}

/* statements */
label: for (var i = 0, n = 1; i < n; i++, n--) {
	if (i) continue label; else if (n) break label; else ;
}
for (const k in o) ;
for (let v of o) ;
while (a) b;
do { c; } while (d);
switch (a) { case 1: b; break; case 2: default: c; }
try { throw new Error("x\n\u0041"); } catch (e) { e; } finally { f; }
try { a; } catch { b; }
with (o) { p; }
debugger;
{ ; }

/* expressions */
a = (b, c) ? d : e;
a ||= b ?? c && d || !e;
a = undefined ?? null ?? true ?? false ?? this;
a = b?.c?.[d]?.(e);
a = `text \x41 ${b} ${`nested ${c}`}`;
tag`text`;
a = /re[/]g\/ex/giu.test("string") + 'other' + 0x1f + 1_000n;
a = async (b) => { await b; };
a = b => c;
a = typeof b + void c - delete d.e;
a = new B(...c);
a = import.meta.url;
import("module").then(b);
a = { method() {}, get b() { return 1; }, set b(c) {}, async *[d]() {} };
({ a, b: c.d, ...e } = f);
[a.b, c[d]] = e;

a = <Tag.Name attr="x &amp; y" other={b} {...c} ns:name='z'>
	text &amp; <Self.Closing/> {d} {/* nothing */}
	<ns:tag></ns:tag>
</Tag.Name>;
<!-- an old comment
