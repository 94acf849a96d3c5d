// hostile: the global object by a sloppy function's `this`
var g = (function () { return this; })();
g.eval("1 + 1");
