// harmless: evaluates arithmetic with a parser of its own
function evaluate(text) {
	var at = 0;
	function factor() {
		if (text[at] === "(") {
			at++;
			var inner = sum();
			at++;
			return inner;
		}
		var start = at;
		while (at < text.length && /[0-9.]/.test(text[at])) at++;
		return parseFloat(text.slice(start, at));
	}
	function product() {
		var value = factor();
		while (text[at] === "*" || text[at] === "/") {
			if (text[at++] === "*") value *= factor();
			else value /= factor();
		}
		return value;
	}
	function sum() {
		var value = product();
		while (text[at] === "+" || text[at] === "-") {
			if (text[at++] === "+") value += product();
			else value -= product();
		}
		return value;
	}
	return sum();
}
evaluate("2*(3+4)-6/3") === 12;
