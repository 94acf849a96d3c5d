// harmless: a small module system of its own, with a local `require` and `module`
var registry = {
	add: function (require, module) {
		module.exports = function (a, b) { return a + b; };
	},
	sum: function (require, module) {
		var add = require("add");
		module.exports = function (list) { return list.reduce(add, 0); };
	},
};
function load(name) {
	var module = { exports: {} };
	registry[name](load, module);
	return module.exports;
}
load("sum")([1, 2, 3]) === 6;
