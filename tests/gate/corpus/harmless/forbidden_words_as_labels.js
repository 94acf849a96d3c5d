// harmless: labels are no names of variables
function firstPair(rows, sum) {
	process: for (var i = 0; i < rows.length; i++) {
		for (var j = i + 1; j < rows.length; j++) {
			if (rows[i] + rows[j] === sum) break process;
			if (rows[j] > sum) continue process;
		}
	}
	return i < rows.length ? [i, j] : null;
}
firstPair([1, 4, 6, 9], 10).join() === "0,3";
