// harmless: plain search; the comment says eval, require("fs") and process.exit()
function binarySearch(sorted, wanted) {
	let low = 0, high = sorted.length - 1;
	while (low <= high) {
		const middle = (low + high) >>> 1;
		if (sorted[middle] === wanted) return middle;
		if (sorted[middle] < wanted) low = middle + 1;
		else high = middle - 1;
	}
	return -1;
}
binarySearch([1, 3, 5, 7, 9, 11], 7) === 3;
