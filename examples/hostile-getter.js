// A value whose getter would never come back: it is not asked.
// expect: ok
var trap = {};
Object.defineProperty(trap, 'x', {
	enumerable: true,
	get: function () {
		for (;;) {
			// never
		}
	},
});
trap.toString = function () {
	throw new Error('no');
};
console.log(trap);
trap;
