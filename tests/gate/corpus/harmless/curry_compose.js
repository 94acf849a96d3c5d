// harmless: apply, bind and call on functions of its own
function curry(fn) {
	return function curried() {
		var args = Array.prototype.slice.call(arguments);
		if (args.length >= fn.length) return fn.apply(this, args);
		return curried.bind.apply(curried, [this].concat(args));
	};
}
var compose = function () {
	var fns = [].slice.call(arguments);
	return function (x) {
		return fns.reduceRight(function (value, fn) { return fn(value); }, x);
	};
};
var add = curry(function (a, b, c) { return a + b + c; });
compose(add(1)(2), function (x) { return x * 10; })(4) === 43;
