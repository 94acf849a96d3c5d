// iterators: an object of one's own in for-of, spread and destructuring
class Range {
  constructor(from, to, step = 1) {
    Object.assign(this, { from, to, step });
  }
  [Symbol.iterator]() {
    let next = this.from;
    const { to, step } = this;
    return {
      next: () => (next > to ? { value: undefined, done: true } : { value: (next += step) - step, done: false }),
      return: () => {
        console.log('closed at', next);
        return { done: true };
      },
    };
  }
}

console.log([...new Range(1, 5)]);
for (const n of new Range(0, 100, 10)) if (n > 20) break;
const [first, second] = new Range(7, 9);
console.log(first, second, Math.max(...new Range(1, 4)));
console.log(Array.from(new Range(1, 3), (n) => n * n), new Set(new Range(1, 2)));
new Range(1, 3);
