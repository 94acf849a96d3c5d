// harmless: keywords of a language in a table, `eval` and `import` among them
const keywords = new Set(["if", "else", "while", "function", "eval", "import", "with", "process"]);
function* tokens(source) {
	const pattern = /\s*(?:(\d+)|([A-Za-z_]\w*)|(.))/gy;
	let match;
	while ((match = pattern.exec(source))) {
		if (match[1]) yield { type: "number", value: Number(match[1]) };
		else if (match[2]) yield { type: keywords.has(match[2]) ? "keyword" : "name", value: match[2] };
		else if (match[3]) yield { type: "mark", value: match[3] };
	}
}
[...tokens("if (eval) x = 10")].map((t) => t.type[0]).join("") === "kmkmnmn";
