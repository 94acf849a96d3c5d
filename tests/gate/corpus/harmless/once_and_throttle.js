// harmless: wrappers that hand on this and arguments
function once(fn) {
	var done = false, result;
	return function () {
		if (!done) { done = true; result = fn.apply(this, arguments); }
		return result;
	};
}
function throttle(fn, calls) {
	var count = 0, last;
	return function () {
		var self = this, args = arguments;
		if (count++ % calls === 0) last = fn.apply(self, args);
		return last;
	};
}
var first = once(function (a) { return a + 1; });
var third = throttle(function (a) { return a; }, 3);
first(1) + first(5) + third(1) + third(2) === 6;
