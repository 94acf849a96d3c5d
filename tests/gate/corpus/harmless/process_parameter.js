// harmless: `process` is a parameter and a local function
function pipeline(steps, process) {
	return steps.map(process);
}
function run(items) {
	function process(item) {
		return item.trim().toUpperCase();
	}
	return pipeline(items, process);
}
run([" a", "b "]).join("") === "AB";
