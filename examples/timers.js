// Timers run until none is left, and their lines count. The value was fixed before.
// expect: ok
var ticks = 0;
var timer = setInterval(function () {
	ticks++;
	console.log('tick ' + ticks);
	if (ticks === 3) {
		clearInterval(timer);
	}
}, 20);
setTimeout(function () {
	console.log('once');
}, 10);
'started';
