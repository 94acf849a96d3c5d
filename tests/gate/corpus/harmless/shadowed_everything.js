// harmless: every forbidden name is a local here
(function (eval_, process, require, fetch) {
	var Worker = function (n) { this.n = n; };
	var setTimeout = function (f) { return f(); };
	let window = { document: { title: "t" } };
	const { document } = window;
	try { throw 1; } catch (globalThis) { window.caught = globalThis; }
	class WebSocket { open() { return "open"; } }
	return [process(1), require("x"), fetch, setTimeout(() => new Worker(3).n), document.title, window.caught, new WebSocket().open()].join();
})(0, (x) => x + 1, (name) => name.toUpperCase(), 7) === "2,X,7,3,t,1,open";
