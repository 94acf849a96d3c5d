// BigInt: factorials, powers modulo, what JSON cannot say
const factorial = (n) => (n < 2n ? 1n : n * factorial(n - 1n));

function powerModulo(base, exponent, modulus) {
  let result = 1n;
  for (base %= modulus; exponent > 0n; exponent >>= 1n, base = (base * base) % modulus)
    if (exponent & 1n) result = (result * base) % modulus;
  return result;
}

console.log(factorial(25n).toString());
console.log(powerModulo(3n, 1000n, 1_000_007n), 2n ** 70n);
console.log(-7n / 2n, -7n % 2n, 5n > 4, 2n == 2, typeof 1n);
console.log(BigInt('0xff'), BigInt.asUintN(8, 257n), Number(12n) + 1);
try {
  JSON.stringify({ n: 1n });
} catch (error) {
  console.log(error.name);
}
[9007199254740993n, { n: 0n }];
