// hostile: eval by a word written backwards
var name = "lave".split("").reverse().join("");
globalThis[name]("6 * 7");
