// Text statistics, with a character outside the basic plane on the way.
// expect: ok
var text = 'the quick brown fox jumps over the lazy dog \ud83e\udd8a the end';
var counts = {};
text.split(/\s+/).forEach(function (word) {
	counts[word] = (counts[word] || 0) + 1;
});
console.info('most frequent: the, ' + counts.the + ' times');
counts;
