// hostile: a class that extends Function
class Maker extends Function {
	constructor(body) { super(body); }
}
new Maker("return 1")();
