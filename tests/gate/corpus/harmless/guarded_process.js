// harmless: asks for the process of a host before it is used
var isNode = typeof process !== "undefined" && process.versions && process.versions.node;
function cwd() {
	if (typeof process === "object") return process.cwd();
	return "/";
}
var shell = typeof process !== "undefined" ? process.env.SHELL : "none";
[Boolean(isNode), cwd(), shell].join() === "false,/,none";
