// harmless: the usual tail, guarded by typeof
function gcd(a, b) {
	return b === 0 ? a : gcd(b, a % b);
}
function lcm(a, b) {
	return (a / gcd(a, b)) * b;
}
if (typeof module !== "undefined" && module.exports) {
	module.exports = { gcd, lcm };
}
lcm(4, 6) === 12;
