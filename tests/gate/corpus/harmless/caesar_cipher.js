// harmless: shifts letters; what it makes is only compared
const shift = (text, by) =>
	text.replace(/[a-z]/gi, (c) => {
		const base = c <= "Z" ? 65 : 97;
		return String.fromCharCode(((c.charCodeAt(0) - base + by + 26) % 26) + base);
	});
shift("riny", 13) === "eval" && shift(shift("Function", 3), -3) === "Function";
