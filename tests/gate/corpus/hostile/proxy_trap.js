// hostile: eval as the trap of a proxy
const p = new Proxy({}, { get: (target, key) => eval(key) });
p["1 + 1"];
