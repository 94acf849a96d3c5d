// harmless: Reflect.apply and Reflect.construct on classes of its own
class Point {
	constructor(x, y) { this.x = x; this.y = y; }
	plus(o) { return Reflect.construct(Point, [this.x + o.x, this.y + o.y]); }
}
const log = [];
const traced = (fn, name) => function (...args) {
	log.push(name);
	return Reflect.apply(fn, this, args);
};
Point.prototype.plus = traced(Point.prototype.plus, "plus");
new Point(1, 2).plus(new Point(3, 4)).y === 6 && log[0] === "plus";
