// Verification with evidence: each case is logged, the verdict comes last.
// expect: ok, passed
function roman(n) {
	var table = [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'],
		[50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']];
	var out = '';
	table.forEach(function (row) {
		while (n >= row[0]) {
			out += row[1];
			n -= row[0];
		}
	});
	return out;
}

var wanted = { 4: 'IV', 1990: 'MCMXC', 2024: 'MMXXIV' };
var good = true;
Object.keys(wanted).forEach(function (n) {
	var got = roman(Number(n));
	console.log(n, '->', got);
	good = good && got === wanted[n];
});
good;
