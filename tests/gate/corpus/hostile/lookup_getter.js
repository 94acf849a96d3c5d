// hostile: the prototype of functions by an old accessor
const up = {}.__lookupGetter__("__proto__");
up.call(parseInt).constructor("return 1")();
