// Takes memory until there is none, and catches what it can: still a memory_limit.
// expect: memory_limit
var block = 'x';
while (block.length < 65536) {
	block += block;
}
var hoard = [];
console.log('hoarding');
for (;;) {
	try {
		hoard.push(block + hoard.length);
	} catch (e) {
		// go on
	}
}
