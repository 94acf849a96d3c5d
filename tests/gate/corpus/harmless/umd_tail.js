// harmless: the universal module wrapper around a function without imports
(function (root, factory) {
	if (typeof define === "function" && define.amd) define([], factory);
	else if (typeof module === "object" && module.exports) module.exports = factory();
	else root.slugify = factory();
})(typeof self !== "undefined" ? self : this, function () {
	return function slugify(text) {
		return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
	};
});
"done";
