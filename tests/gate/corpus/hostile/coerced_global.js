// hostile: the global object becomes a text, by a function of the source
var kept;
function toString() { kept = this; return ""; }
var text = "" + this;
kept.eval("1 + 1");
