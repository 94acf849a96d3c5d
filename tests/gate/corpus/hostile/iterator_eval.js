// hostile: eval yielded by a generator
function* parts() { yield globalThis; yield "ev"; yield "al"; }
const [g, ...word] = parts();
g[word.join("")]("1 + 1");
