// hostile: eval by percent encoding
var word = unescape("%65%76%61%6c");
(function () { return this; })()[word]("1 + 1");
