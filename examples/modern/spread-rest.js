// spread and rest: arrays, objects, calls; what is copied and what is shared
const sum = (...numbers) => numbers.reduce((a, b) => a + b, 0);
const numbers = [3, 1, 2];
console.log(sum(...numbers), Math.max(...numbers, 10), [...'añ😀']);

const defaults = { colour: 'red', size: { w: 1 } };
const custom = { ...defaults, colour: 'blue', ...(numbers.length > 2 && { many: true }), ...null };
custom.size.w = 9;
console.log(custom, defaults);

const omit = (object, ...keys) => Object.fromEntries(Object.entries(object).filter(([k]) => !keys.includes(k)));
const { colour, ...rest } = custom;
console.log(colour, rest, omit(custom, 'size', 'many'));

const merged = [...new Set([...numbers, ...[2, 3, 4]])].sort((a, b) => a - b);
const compose = (...fs) => (x) => fs.reduceRight((value, f) => f(value), x);
console.log(compose((x) => x + 1, (x) => x * 2)(5));
merged;
