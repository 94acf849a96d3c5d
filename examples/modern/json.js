// JSON: revivers, replacers, indents, toJSON, deep copies
const text = '{"name":"box","made":"2024-01-02T03:04:05.000Z","parts":[{"n":1},{"n":2.5e1}]}';
const box = JSON.parse(text, (key, value) => (key === 'made' ? new Date(value) : value));
console.log(box.made instanceof Date, box.made.getUTCFullYear(), box.parts[1].n);
console.log(JSON.stringify(box) === text.replace('2.5e1', '25'));

console.log(JSON.stringify({ a: [undefined, NaN, () => 1], b: undefined, c: { d: null } }));
console.log(JSON.stringify(box, ['name', 'parts', 'n'], 1).split('\n').length);
console.log(JSON.stringify({ password: 'x', user: 'y' }, (k, v) => (k === 'password' ? '***' : v)));

class Money {
  constructor(cents) {
    this.cents = cents;
  }
  toJSON() {
    return (this.cents / 100).toFixed(2);
  }
}
console.log(JSON.stringify({ price: new Money(1999) }), new Money(5));
const circle = { name: 'loop' };
circle.self = circle;
try {
  JSON.stringify(circle);
} catch (error) {
  console.log(error instanceof TypeError, circle);
}
JSON.parse(JSON.stringify({ deep: { copy: [1, { two: 2 }] } }));
