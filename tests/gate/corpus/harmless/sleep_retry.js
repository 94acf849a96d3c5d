// harmless: waits between attempts by setTimeout
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function retry(task, attempts) {
	for (let i = 1; ; i++) {
		try {
			return await task(i);
		} catch (error) {
			if (i >= attempts) throw error;
			await sleep(i);
		}
	}
}
retry(async (i) => { if (i < 3) throw new Error("again"); return i; }, 5).then((n) => n === 3);
