// WeakMap, WeakSet and WeakRef: data beside objects, without owning them
const details = new WeakMap();
class Node {
  constructor(value) {
    details.set(this, { value, visits: 0 });
  }
  visit() {
    const own = details.get(this);
    own.visits += 1;
    return `${own.value} x${own.visits}`;
  }
}

const node = new Node('root');
node.visit();
console.log(node.visit(), Object.keys(node), node);

const cache = new WeakMap();
let misses = 0;
const size = (object) => {
  if (!cache.has(object)) {
    misses++;
    cache.set(object, Object.keys(object).length);
  }
  return cache.get(object);
};
const big = { a: 1, b: 2 };
console.log(size(big), size(big), misses, cache);

const hasCycle = (value, path = new WeakSet()) => {
  if (typeof value !== 'object' || value === null) return false;
  if (path.has(value)) return true;
  path.add(value);
  const found = Object.values(value).some((v) => hasCycle(v, path));
  path.delete(value);
  return found;
};
big.self = big;
[hasCycle(big), hasCycle({ x: [{}] }), new WeakRef(node).deref() === node];
