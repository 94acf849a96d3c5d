// sorting: several keys, stable, without changing the original
const people = [
  { name: 'Zoe', age: 30 },
  { name: 'adam', age: 25 },
  { name: 'Bob', age: 30 },
  { name: 'Cy', age: 25 },
];
const by = (...keys) => (a, b) => {
  for (const key of keys) {
    const x = key(a), y = key(b);
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
};

const sorted = [...people].sort(by((p) => p.age, (p) => p.name.toLowerCase()));
console.log(sorted.map((p) => p.name).join(' '), people[0].name);
console.log(people.toSorted((a, b) => b.age - a.age).map((p) => p.name));
console.log([10, 9, 1].sort(), [10, 9, 1].sort((a, b) => a - b), ['b', undefined, 'a'].sort());
console.log([3, 1, 2].toReversed(), [1, 2, 3].with(1, 9));

const quicksort = ([pivot, ...rest]) =>
  pivot === undefined ? [] : [...quicksort(rest.filter((x) => x < pivot)), pivot, ...quicksort(rest.filter((x) => x >= pivot))];
quicksort([5, 3, 8, 1, 9, 2]);
