// harmless: an endless generator, which yields
function* naturals() {
	let n = 0;
	while (true) yield n++;
}
function* take(count, source) {
	for (const value of source) {
		if (count-- <= 0) return;
		yield value;
	}
}
[...take(4, naturals())].join() === "0,1,2,3";
