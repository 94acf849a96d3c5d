// A claim about code, checked by running it: the verdict is the last value.
// expect: ok, passed
function gcd(a, b) {
	return b === 0 ? a : gcd(b, a % b);
}

var cases = [[12, 18, 6], [17, 5, 1], [100, 75, 25], [0, 9, 9]];
cases.every(function (c) {
	return gcd(c[0], c[1]) === c[2];
});
