// arrays: at, flat, flatMap, findLast, includes, copies that change
const nested = [1, [2, [3, [4]]]];
console.log(nested.flat(), nested.flat(Infinity), nested.at(-1));
console.log([1, 2, 3].flatMap((x) => (x % 2 ? [x, x * 10] : [])));
console.log([5, 12, 8, 130].findLast((x) => x > 10), [5, 12].findLastIndex((x) => x > 100));
console.log([1, NaN].includes(NaN), [1, NaN].indexOf(NaN), Array.of(7).fill(0));

const list = [3, 1, 2];
console.log(list.toSorted(), list.toReversed(), list.toSpliced(1, 1, 'x', 'y'), list.with(0, 9), list);

const chunk = (items, n) => Array.from({ length: Math.ceil(items.length / n) }, (_, i) => items.slice(i * n, i * n + n));
const zip = (...lists) => lists[0].map((_, i) => lists.map((l) => l[i]));
const unique = (items) => [...new Set(items)];
const transpose = (rows) => rows[0].map((_, i) => rows.map((row) => row[i]));
console.log(chunk([1, 2, 3, 4, 5], 2), zip(['a', 'b'], [1, 2]), unique([1, 1, 2]));
console.log([, 1, , 2].length, Object.keys([, 1, , 2]), [...[, 1]], [1, , 3]);
transpose([[1, 2, 3], [4, 5, 6]]);
