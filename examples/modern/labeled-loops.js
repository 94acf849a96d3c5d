// labelled loops: break and continue out of nested loops, do-while, comma
const grid = [
  [1, 4, 9],
  [2, 5, 8],
  [3, 6, 7],
];

function find(wanted) {
  let steps = 0, place = null;
  search: for (const [row, cells] of grid.entries()) {
    for (const [column, cell] of cells.entries()) {
      steps++;
      if (cell === wanted) {
        place = { row, column };
        break search;
      }
    }
  }
  return { place, steps };
}
console.log(find(5), find(10));

const primes = [];
next: for (let n = 2; n < 30; n++) {
  for (const p of primes) if (n % p === 0) continue next;
  primes.push(n);
}

let n = 27, steps = 0;
do {
  n = n % 2 ? 3 * n + 1 : n / 2;
} while (++steps, n !== 1);
console.log(steps);
primes;
