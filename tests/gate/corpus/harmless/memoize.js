// harmless: caches by a key that is made from the arguments
function memoize(fn) {
	const cache = new Map();
	return function (...args) {
		const key = JSON.stringify(args);
		if (!cache.has(key)) cache.set(key, fn.apply(this, args));
		return cache.get(key);
	};
}
const fib = memoize((n) => (n < 2 ? n : fib(n - 1) + fib(n - 2)));
fib(50) === 12586269025;
