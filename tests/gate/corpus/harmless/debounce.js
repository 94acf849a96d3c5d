// harmless: timers that are given functions
function debounce(fn, wait) {
	let timer = null;
	return function (...args) {
		clearTimeout(timer);
		timer = setTimeout(() => fn.apply(this, args), wait);
	};
}
const calls = [];
const note = debounce((x) => console.log(calls.push(x)), 5);
note(1);
note(2);
calls.length === 0;
