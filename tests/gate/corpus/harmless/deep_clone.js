// harmless: clones by the constructor of what it clones
function deepClone(value, seen = new Map()) {
	if (value === null || typeof value !== "object") return value;
	if (seen.has(value)) return seen.get(value);
	if (value instanceof Date) return new Date(value.getTime());
	const copy = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value));
	seen.set(value, copy);
	for (const key of Reflect.ownKeys(value)) copy[key] = deepClone(value[key], seen);
	return copy;
}
const original = { list: [1, { two: 2 }], when: new Date(0) };
original.self = original;
const copy = deepClone(original);
copy.self === copy && copy.list[1] !== original.list[1] && copy.list[1].two === 2;
