// harmless: a data table and a loop
const table = Object.entries({ M: 1000, CM: 900, D: 500, CD: 400, C: 100, XC: 90, L: 50, XL: 40, X: 10, IX: 9, V: 5, IV: 4, I: 1 });
const toRoman = (n) => table.reduce((out, [sign, value]) => {
	while (n >= value) { out += sign; n -= value; }
	return out;
}, "");
toRoman(1994) === "MCMXCIV";
