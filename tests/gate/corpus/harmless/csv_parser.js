// harmless: quoted fields, CR and LF
function parseCsv(text) {
	const rows = [[""]];
	let quoted = false;
	for (let i = 0; i < text.length; i++) {
		const c = text[i], row = rows[rows.length - 1];
		if (quoted) {
			if (c === '"' && text[i + 1] === '"') row[row.length - 1] += text[++i];
			else if (c === '"') quoted = false;
			else row[row.length - 1] += c;
		} else if (c === '"') quoted = true;
		else if (c === ",") row.push("");
		else if (c === "\n") rows.push([""]);
		else if (c !== "\r") row[row.length - 1] += c;
	}
	return rows;
}
parseCsv('a,"b ""x"", c"\r\n1,2')[0][1] === 'b "x", c';
