// harmless: counts words; "constructor" is one of them
const text = "the constructor of the class calls the constructor of its parent";
const counts = Object.create(null);
for (const word of text.split(" ")) counts[word] = (counts[word] ?? 0) + 1;
const top = Object.entries(counts).sort(([, a], [, b]) => b - a)[0];
counts["constructor"] === 2 && top[0] === "the";
