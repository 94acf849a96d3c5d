// harmless: types told by constructor and by Object.prototype.toString
function kindOf(value) {
	if (value === null) return "null";
	if (value === undefined) return "undefined";
	if (value.constructor === Array) return "array";
	if (value.constructor && value.constructor.name === "Date") return "date";
	return Object.prototype.toString.call(value).slice(8, -1).toLowerCase();
}
[kindOf([]), kindOf(new Date(0)), kindOf(null), kindOf(/x/), kindOf("s")].join() ===
	"array,date,null,regexp,string";
