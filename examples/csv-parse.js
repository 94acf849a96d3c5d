// String work: a small CSV reader with quoted fields.
// expect: ok
function fields(line) {
	var out = [], field = '', quoted = false;
	for (var i = 0; i < line.length; i++) {
		var c = line.charAt(i);
		if (c === '"') {
			quoted = !quoted;
		} else if (c === ',' && !quoted) {
			out.push(field);
			field = '';
		} else {
			field += c;
		}
	}
	out.push(field);
	return out;
}

'id,name\n1,"Doe, Jane"\n2,Smith'.split('\n').map(fields);
