// harmless: a table of operators, called by a computed key
const operators = {
	"+": (a, b) => a + b,
	"-": (a, b) => a - b,
	"*": (a, b) => a * b,
	"/": (a, b) => a / b,
};
function rpn(text) {
	const stack = [];
	for (const token of text.split(" ")) {
		if (token in operators) {
			const b = stack.pop(), a = stack.pop();
			stack.push(operators[token](a, b));
		} else stack.push(Number(token));
	}
	return stack[0];
}
rpn("3 4 + 2 *") === 14;
