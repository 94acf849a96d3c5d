// hostile: eval by character codes
var word = String.fromCharCode(101, 118, 97, 108);
globalThis[word]("6 * 7");
