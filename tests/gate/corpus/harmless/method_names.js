// harmless: getOwnPropertyNames over the prototype of an own class
class Calculator {
	add(a, b) { return a + b; }
	subtract(a, b) { return a - b; }
}
const calculator = new Calculator();
const names = Object.getOwnPropertyNames(Object.getPrototypeOf(calculator))
	.filter((name) => name !== "constructor" && typeof calculator[name] === "function");
names.map((name) => calculator[name](5, 3)).join() === "8,2";
