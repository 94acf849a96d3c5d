// harmless: a Map in the order of use
class LRU {
	#map = new Map();
	constructor(limit) { this.limit = limit; }
	get(key) {
		if (!this.#map.has(key)) return undefined;
		const value = this.#map.get(key);
		this.#map.delete(key);
		this.#map.set(key, value);
		return value;
	}
	set(key, value) {
		this.#map.delete(key);
		this.#map.set(key, value);
		if (this.#map.size > this.limit) this.#map.delete(this.#map.keys().next().value);
		return this;
	}
}
const lru = new LRU(2).set("constructor", 1).set("b", 2);
lru.get("constructor");
lru.set("c", 3).get("b") === undefined;
