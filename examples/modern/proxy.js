// Proxy and Reflect: defaults, checks, an array with negative indexes
const withDefaults = (target, defaults) =>
  new Proxy(target, { get: (t, key, r) => (key in t ? Reflect.get(t, key, r) : defaults[key]) });

const checked = (target) =>
  new Proxy(target, {
    set(t, key, value) {
      if (typeof value !== 'number') throw new TypeError(`${String(key)} must be a number`);
      return Reflect.set(t, key, value);
    },
    deleteProperty: () => false,
  });

const config = withDefaults({ port: 80 }, { host: 'localhost', port: 1 });
console.log(config.host, config.port, 'host' in config);

const stats = checked({ hits: 0 });
stats.hits += 5;
try {
  stats.misses = 'many';
} catch (error) {
  console.log(error.message);
}
console.log(Reflect.deleteProperty(stats, 'hits'), Reflect.ownKeys(stats));

const negative = (list) =>
  new Proxy(list, { get: (t, key, r) => Reflect.get(t, Number(key) < 0 ? t.length + Number(key) : key, r) });
console.log(negative(['a', 'b', 'c'])[-1], stats);
stats.hits;
