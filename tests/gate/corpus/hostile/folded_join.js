// hostile: eval by a key made with join
var name = ["e", "v", "a", "l"].join("");
globalThis[name]("6 * 7");
