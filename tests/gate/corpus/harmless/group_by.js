// harmless: `obj[key]` with keys that come from data
function groupBy(items, key) {
	return items.reduce(function (groups, item) {
		var name = typeof key === "function" ? key(item) : item[key];
		(groups[name] = groups[name] || []).push(item);
		return groups;
	}, {});
}
var groups = groupBy([{ kind: "constructor", n: 1 }, { kind: "other", n: 2 }].slice(1), "kind");
Object.keys(groups).length === 1 && groups.other[0].n === 2;
