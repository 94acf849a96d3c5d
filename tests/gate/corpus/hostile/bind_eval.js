// hostile: eval, bound
const run = eval.bind(null);
["1 + 1"].map((text) => run(text));
