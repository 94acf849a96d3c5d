// harmless: process, eval and require are names of properties
class Queue {
	constructor() {
		this.items = [];
		this.process = null;
	}
	require(field) {
		if (!(field in this)) throw new Error("missing " + field);
		return this;
	}
	eval() {
		return this.items.map(this.process);
	}
}
const queue = new Queue();
queue.process = (x) => x * 2;
queue.items.push(1, 2, 3);
queue.require("items").eval().join() === "2,4,6";
