// hostile: the global object thrown and caught
try {
	throw this;
} catch (scope) {
	scope.eval("1 + 1");
}
