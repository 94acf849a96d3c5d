// harmless: backtracking by bits
function queens(n) {
	var all = (1 << n) - 1, count = 0;
	(function place(columns, left, right) {
		if (columns === all) { count++; return; }
		for (var free = all & ~(columns | left | right); free; ) {
			var bit = free & -free;
			free ^= bit;
			place(columns | bit, ((left | bit) << 1) & all, (right | bit) >> 1);
		}
	})(0, 0, 0);
	return count;
}
queens(6) === 4;
