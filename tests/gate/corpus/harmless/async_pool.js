// harmless: promises with a bound, async and await
async function pool(tasks, limit) {
	const results = [], running = new Set();
	for (const [index, task] of tasks.entries()) {
		const job = Promise.resolve().then(task).then((value) => { results[index] = value; running.delete(job); });
		running.add(job);
		if (running.size >= limit) await Promise.race(running);
	}
	await Promise.all(running);
	return results;
}
pool([() => 1, async () => 2, () => 3], 2).then((r) => r.join() === "1,2,3");
