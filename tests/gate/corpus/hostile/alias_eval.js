// hostile: eval by another name
var e = eval;
var run = e;
run("1 + 1");
