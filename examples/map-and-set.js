// Map and Set are there, although the engine is an ES5 one.
// expect: ok, passed
var seen = new Set();
var first = new Map();
'abracadabra'.split('').forEach(function (letter, at) {
	if (!seen.has(letter)) {
		first.set(letter, at);
	}
	seen.add(letter);
});
console.log('letters:', seen.size);
first.get('d') === 6 && first.size === 5;
