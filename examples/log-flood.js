// Logs more than it may: the first part is kept, and the run ends there.
// expect: output_limit
for (var i = 0; ; i++) {
	console.log('line ' + i);
}
