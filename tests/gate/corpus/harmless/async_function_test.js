// harmless: compares with the constructor of async functions
const AsyncFunction = (async () => {}).constructor;
function kind(f) {
	if (f instanceof AsyncFunction) return "async";
	return f.constructor.name === "Function" ? "plain" : "other";
}
kind(async () => {}) + kind(() => {}) === "asyncplain";
