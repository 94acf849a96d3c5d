// hostile: the global object among arguments without a name
(function () {
	return arguments[0].eval("1 + 1");
})(this);
