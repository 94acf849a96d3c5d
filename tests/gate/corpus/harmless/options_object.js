// harmless: a constructor that copies its options
var Options = (function () {
	function Options(values) {
		for (var key in values)
			if (Object.prototype.hasOwnProperty.call(values, key)) this[key] = values[key];
	}
	Options.prototype.get = function (key) { return this[key]; };
	Options.prototype.clone = function () { return new this.constructor(this); };
	return Options;
})();
new Options({ a: 1 }).clone().get("a") === 1;
