// Recursion without an end is an exception like any other, and can be caught.
// expect: ok
function down(n) {
	return down(n + 1);
}

var caught;
try {
	down(0);
} catch (e) {
	caught = e.name;
}
caught;
