// harmless: constructor.name, this.constructor and new this.constructor()
class Shape {
	constructor(size) { this.size = size; }
	describe() { return `${this.constructor.name} of ${this.size}`; }
	copy() { return new this.constructor(this.size); }
	sameKind(other) { return other.constructor === this.constructor; }
}
class Square extends Shape {
	area() { return this.size ** 2; }
}
const one = new Square(3), two = one.copy();
two.describe() === "Square of 3" && one.sameKind(two) && two.area() === 9;
