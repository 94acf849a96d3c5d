// harmless: asks whether something is a function, by instanceof Function
function callIfFunction(value, argument) {
	if (value instanceof Function) return value(argument);
	if (typeof value === "function") return value(argument);
	return value;
}
callIfFunction(Math.sqrt, 16) === 4 && callIfFunction(5) === 5;
