// Never ends: killed at its deadline, and what it had logged is kept.
// expect: timeout
// options: --timeout 500ms
console.log('going in');
while (true) {
	// nothing
}
