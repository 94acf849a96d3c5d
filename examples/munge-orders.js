// Data munging: orders are grouped and summed; the value is an object, given as JSON.
// expect: ok
var orders = [
	{ customer: 'acme', cents: 1250 },
	{ customer: 'globex', cents: 990 },
	{ customer: 'acme', cents: 3000 },
	{ customer: 'initech', cents: 45 },
];
var totals = orders.reduce(function (sums, order) {
	sums[order.customer] = (sums[order.customer] || 0) + order.cents;
	return sums;
}, {});
Object.keys(totals).sort().map(function (name) {
	return { customer: name, total: (totals[name] / 100).toFixed(2) };
});
