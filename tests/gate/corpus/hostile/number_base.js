// hostile: eval by a number in base 36
var word = (693741).toString(36);
globalThis[word]("1 + 1");
