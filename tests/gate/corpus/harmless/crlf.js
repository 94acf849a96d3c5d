// harmless: lines end as on Windows, and one of them with a lone CR
var lines = "eval\r\nrequire".split(/\r\n|\r|\n/);
var count = 0; // counts them, not: process.exit()for (var i = 0; i < lines.length; i++) {
	if (lines[i].length > 0)
		count++;
}
count === 2;
