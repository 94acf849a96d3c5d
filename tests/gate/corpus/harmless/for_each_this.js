// harmless: a callback that gets its this as an argument
function Totals() { this.sum = 0; this.byName = {}; }
Totals.prototype.add = function (list) {
	list.forEach(function (item) {
		this.sum += item.n;
		this[item.name] = item.n;
	}, this);
	return this;
};
new Totals().add([{ name: "a", n: 1 }, { name: "b", n: 2 }]).sum === 3;
