// hostile: a constant that is changed as a property of the global object
var key = "toString";
function prepare(target) {
	target.key = "ev" + "al";
}
prepare(this);
this[key]("1 + 1");
