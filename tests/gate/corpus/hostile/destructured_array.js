// hostile: eval, through an array
const [first, second] = [Math.max, eval];
second("1 + 1");
