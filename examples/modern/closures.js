// closures: counters and memoised functions with let and arrow functions
const counter = (start = 0) => {
  let n = start;
  return { up: () => ++n, down: () => --n };
};

const memoise = (f) => {
  const known = new Map();
  return (x) => {
    if (!known.has(x)) known.set(x, f(x));
    return known.get(x);
  };
};

const a = counter(), b = counter(10);
a.up();
a.up();
b.down();
let calls = 0;
const square = memoise((x) => {
  calls += 1;
  return x * x;
});
console.log([1, 2, 2, 1, 3].map(square), 'in', calls, 'calls');

const later = [];
for (let i = 0; i < 3; i++) later.push(() => i);
console.log(later.map((f) => f()));
[a.up(), b.up()];
