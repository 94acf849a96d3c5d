// Five lines, then an exception: none of the lines is lost.
// expect: error
for (var i = 1; i <= 5; i++) {
	console.log('step ' + i);
}
undefinedFunction();
