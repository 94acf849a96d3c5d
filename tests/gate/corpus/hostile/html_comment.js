// hostile: a comment to some parsers, code to others
var x = 1, y = 2;
x<!--y
eval("x + y");
