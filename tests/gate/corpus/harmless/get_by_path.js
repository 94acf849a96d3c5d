// harmless: reads a nested property by a path that is only known at run time
const get = (object, path, fallback) =>
	path.split(/[.[\]]+/).filter(Boolean).reduce((value, key) => (value == null ? value : value[key]), object) ?? fallback;
const config = { server: { ports: [80, 443], process: { count: 4 } } };
get(config, "server.ports[1]") === 443 && get(config, "server.process.count") === 4 && get(config, "a.b", 0) === 0;
