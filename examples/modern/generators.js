// generators: lazy sequences, put together with yield*
function* naturals(from = 1) {
  for (let n = from; ; n++) yield n;
}

function* take(count, items) {
  if (count <= 0) return;
  for (const item of items) {
    yield item;
    if (--count === 0) return;
  }
}

function* filter(test, items) {
  for (const item of items) if (test(item)) yield item;
}

function* countdown(n) {
  yield n;
  if (n > 0) yield* countdown(n - 1);
}

const isPrime = (n) => n > 1 && ![...take(Math.floor(Math.sqrt(n)) - 1, naturals(2))].some((d) => n % d === 0);

console.log([...countdown(3)].join(' '));
console.log(countdown(1));
[...take(8, filter(isPrime, naturals()))];
