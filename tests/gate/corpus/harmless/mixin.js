// harmless: copies methods by computed names, leaving the constructor out
const Serializable = { toText() { return JSON.stringify(this); } };
const Comparable = { equals(other) { return this.toText() === other.toText(); } };
function mix(target, ...sources) {
	for (const source of sources)
		for (const key of Object.getOwnPropertyNames(source))
			if (key !== "constructor")
				Object.defineProperty(target.prototype, key, Object.getOwnPropertyDescriptor(source, key));
	return target;
}
class Point {
	constructor(x, y) { this.x = x; this.y = y; }
}
mix(Point, Serializable, Comparable);
new Point(1, 2).equals(new Point(1, 2));
