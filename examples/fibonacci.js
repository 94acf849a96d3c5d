// Slow on purpose: recursive Fibonacci, some 800,000 calls.
// expect: ok
function fib(n) {
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

fib(27);
