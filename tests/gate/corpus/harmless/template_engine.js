// harmless: fills {{placeholders}} by a regular expression, without making code
function render(template, data) {
	return template.replace(/\{\{\s*([\w.]+)\s*\}\}/g, function (whole, path) {
		var value = path.split(".").reduce(function (node, key) { return node ? node[key] : undefined; }, data);
		return value === undefined ? whole : String(value);
	});
}
render("Dear {{user.name}}, {{ n }} left, {{missing}}", { user: { name: "Ada" }, n: 3 }) === "Dear Ada, 3 left, {{missing}}";
