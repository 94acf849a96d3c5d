// Map and Set: counting, sets of sets' operations, iteration in order
const words = 'the quick brown fox jumps over the lazy dog the end'.split(' ');
const count = new Map();
for (const word of words) count.set(word, (count.get(word) ?? 0) + 1);

const most = [...count].sort(([a, n], [b, m]) => m - n || a.localeCompare(b)).slice(0, 3);
console.log(most);

const a = new Set([1, 2, 3, 4]);
const b = new Set([3, 4, 5]);
const union = new Set([...a, ...b]);
const both = new Set([...a].filter((x) => b.has(x)));
console.log(union, both);
console.log(new Map([['list', [1, 2]], ['set', new Set(['x'])]]));

count.forEach((n, word) => {
  if (n > 1) console.log(`${word}: ${n}`);
});
Object.fromEntries([...count].filter(([, n]) => n > 1));
