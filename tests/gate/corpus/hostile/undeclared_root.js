// hostile: the global object under a name that nobody declares
root = this;
function run(text) {
	return root.eval(text);
}
run("1 + 1");
