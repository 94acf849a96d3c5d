// hostile: a function that takes apart whatever it is given
function take(value, key) {
	return value[key];
}
const F = take(take([], "constructor"), "constructor");
F("return 1")();
