// harmless: a stack machine whose instructions are called eval, call and import
const program = [["push", 2], ["push", 3], ["call", "mul"], ["eval"], ["push", 1], ["call", "add"]];
const builtins = { add: (a, b) => a + b, mul: (a, b) => a * b };
const instructions = {
	push: (stack, value) => stack.push(value),
	call: (stack, name) => stack.push(builtins[name](stack.pop(), stack.pop())),
	eval: (stack) => stack.push(-stack.pop()),
	import: () => { throw new Error("no modules"); },
};
const stack = [];
for (const [name, argument] of program) instructions[name](stack, argument);
stack[0] === -5;
