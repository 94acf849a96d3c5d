// hostile: eval by the comma operator, in the scope of the globals
var globalEval = (0, eval);
globalEval("this.leak = 1");
