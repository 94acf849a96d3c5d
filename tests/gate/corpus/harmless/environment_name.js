// harmless: names its environment by typeof alone
function environment() {
	if (typeof process !== "undefined") return "node";
	if (typeof window !== "undefined") return "browser";
	if (typeof importScripts === "function") return "worker";
	if (typeof Deno !== "undefined") return "deno";
	return "unknown";
}
typeof environment() === "string";
