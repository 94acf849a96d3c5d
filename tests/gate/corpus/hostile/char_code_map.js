// hostile: Function by shifted codes, decoded by a loop
var codes = [71, 118, 111, 100, 117, 106, 112, 111], word = "";
for (var i = 0; i < codes.length; i++) word += String.fromCharCode(codes[i] - 1);
globalThis[word]("return 1")();
