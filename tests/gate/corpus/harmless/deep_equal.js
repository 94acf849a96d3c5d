// harmless: walks the keys of two values, compares their constructors
function deepEqual(a, b) {
	if (Object.is(a, b)) return true;
	if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
	if (a.constructor !== b.constructor) return false;
	const keys = Object.keys(a);
	return keys.length === Object.keys(b).length && keys.every((key) => deepEqual(a[key], b[key]));
}
deepEqual({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }) && !deepEqual([1], { 0: 1 });
