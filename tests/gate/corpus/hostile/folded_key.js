// hostile: eval by a key in pieces on the global object
const a = "e", b = "v", c = a + b + "al";
globalThis[c]("2 + 2");
