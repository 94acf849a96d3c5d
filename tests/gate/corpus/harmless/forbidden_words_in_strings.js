// harmless: a checker of sources, whose words are only strings
var banned = ["eval(", "require(", "process.env", "Function(", "child_process", "fetch(", "globalThis"];
function firstBanned(source) {
	for (var i = 0; i < banned.length; i++) {
		if (source.indexOf(banned[i]) !== -1) return banned[i];
	}
	return null;
}
firstBanned("var x = 1; process.env.HOME") === "process.env";
