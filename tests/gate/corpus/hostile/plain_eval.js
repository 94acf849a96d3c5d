// hostile: eval, in the open
var answer = 41;
eval("answer + 1") === 42;
