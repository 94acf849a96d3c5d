// harmless: Symbol.iterator, Symbol.toPrimitive and Symbol.species in a class of its own
class Range {
	constructor(from, to) { this.from = from; this.to = to; }
	*[Symbol.iterator]() { for (let i = this.from; i <= this.to; i++) yield i; }
	[Symbol.toPrimitive](hint) { return hint === "string" ? `${this.from}..${this.to}` : this.to - this.from; }
	static get [Symbol.species]() { return Array; }
}
const range = new Range(1, 4);
`${range}` === "1..4" && +range === 3 && Math.max(...range) === 4;
