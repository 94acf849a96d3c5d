// harmless: plain string work with toFixed and regular expressions
var format = function (cents, sign) {
	var parts = (Math.abs(cents) / 100).toFixed(2).split(".");
	parts[0] = parts[0].replace(/\B(?=(\d{3})+(?!\d))/g, ",");
	return (cents < 0 ? "-" : "") + (sign || "$") + parts.join(".");
};
format(-123456789) === "-$1,234,567.89";
