// The job's input is the global `input`.
// expect: ok, passed
// options: --input-json {"numbers":[3,1,2],"sum":6}
var sum = input.numbers.reduce(function (a, b) {
	return a + b;
}, 0);
console.log('sum is', sum);
sum === input.sum;
