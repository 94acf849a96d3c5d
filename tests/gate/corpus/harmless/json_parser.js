// harmless: a reader of JSON of its own, with escapes by fromCharCode
function parseJson(text) {
	let at = 0;
	const skip = () => { while (/\s/.test(text[at] || "")) at++; };
	const list = (close, item) => {
		const out = [];
		at++;
		for (skip(); text[at] !== close; skip()) {
			out.push(item());
			skip();
			if (text[at] === ",") at++;
		}
		at++;
		return out;
	};
	function string() {
		let out = "";
		for (at++; text[at] !== '"'; at++) {
			if (text[at] !== "\\") out += text[at];
			else if (text[++at] === "u") {
				out += String.fromCharCode(parseInt(text.substr(at + 1, 4), 16));
				at += 4;
			} else out += { n: "\n", t: "\t" }[text[at]] || text[at];
		}
		at++;
		return out;
	}
	function value() {
		skip();
		if (text[at] === "[") return list("]", value);
		if (text[at] === "{") return Object.fromEntries(list("}", () => [string(), (skip(), at++, value())]));
		if (text[at] === '"') return string();
		const word = /^[\w.+-]+/.exec(text.slice(at))[0];
		at += word.length;
		return { true: true, false: false, null: null }[word] ?? Number(word);
	}
	return value();
}
JSON.stringify(parseJson('{"a": [1, "\\u0041", true], "b": null}')) === '{"a":[1,"A",true],"b":null}';
