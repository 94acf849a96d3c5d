// harmless: nested loops and destructuring
const multiply = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, x, k) => sum + x * b[k][j], 0)));
const power = (m, n) => (n === 1 ? m : n % 2 ? multiply(m, power(m, n - 1)) : power(multiply(m, m), n / 2));
const [[, fib10]] = power([[1, 1], [1, 0]], 10);
fib10 === 55;
