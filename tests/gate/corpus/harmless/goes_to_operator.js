// harmless: `n --> 0` is a decrement and a comparison, and `a <! --b` is one too
function countdown(n) {
	var seen = [];
	while (n --> 0) seen.push(n);
	return seen;
}
var a = 1, b = 2;
var odd = a <! --b;
countdown(3).join() === "2,1,0" && odd === false;
