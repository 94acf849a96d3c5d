// harmless: a graph in objects, names of nodes as keys
function shortest(graph, from, to) {
	const distance = { [from]: 0 }, done = new Set();
	for (;;) {
		const next = Object.keys(distance).filter((n) => !done.has(n)).sort((a, b) => distance[a] - distance[b])[0];
		if (next === undefined) return Infinity;
		if (next === to) return distance[to];
		done.add(next);
		for (const [name, weight] of Object.entries(graph[next] || {}))
			distance[name] = Math.min(distance[name] ?? Infinity, distance[next] + weight);
	}
}
shortest({ a: { b: 1, c: 5 }, b: { c: 1 }, c: {} }, "a", "c") === 2;
