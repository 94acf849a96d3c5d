// harmless: a bind of its own on Function.prototype, the exercise of every tutorial
Function.prototype.myBind = function (context, ...bound) {
	const fn = this;
	return function (...args) {
		return fn.apply(context, bound.concat(args));
	};
};
const greet = function (greeting, mark) { return greeting + ", " + this.name + mark; };
greet.myBind({ name: "Ada" }, "Hello")("!") === "Hello, Ada!";
