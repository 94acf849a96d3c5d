// hostile: this of a callback of replace
"x".replace("x", function () {
	return this.eval("1 + 1");
});
