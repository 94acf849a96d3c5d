// harmless: a Proxy that gives defaults, and one that validates
const withDefault = (target, value) => new Proxy(target, { get: (t, key) => (key in t ? t[key] : value) });
const counter = withDefault({}, 0);
for (const letter of "banana") counter[letter] = counter[letter] + 1;
counter.a === 3 && counter.z === 0;
