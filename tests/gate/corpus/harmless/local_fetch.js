// harmless: `fetch` is a function of the script
async function main() {
	const store = new Map([["/users/1", { id: 1, name: "Ada" }]]);
	async function fetch(path) {
		return { ok: store.has(path), json: async () => store.get(path) };
	}
	const response = await fetch("/users/1");
	return (await response.json()).name;
}
main();
