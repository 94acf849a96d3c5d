// harmless: a map of its own on Array.prototype
if (!Array.prototype.myMap) {
	Array.prototype.myMap = function (callback, thisArg) {
		var result = [];
		for (var i = 0; i < this.length; i++)
			if (i in this) result[i] = callback.call(thisArg, this[i], i, this);
		return result;
	};
}
[1, 2, 3].myMap(function (x) { return x * x; }).join() === "1,4,9";
