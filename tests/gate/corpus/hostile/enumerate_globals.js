// hostile: eval, found by its pattern among the globals
const name = Object.getOwnPropertyNames(globalThis).find((n) => /^e.al$/.test(n));
globalThis[name]("1 + 1");
