// harmless: handlers by a name from data, `constructor` kept out by hasOwnProperty
var handlers = {
	add: function (a, b) { return a + b; },
	neg: function (a) { return -a; },
};
function dispatch(command, args) {
	if (!Object.prototype.hasOwnProperty.call(handlers, command)) throw new TypeError("no such command: " + command);
	return handlers[command].apply(null, args);
}
dispatch("add", [2, 3]) === 5;
