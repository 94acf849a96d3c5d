// hostile: a key that becomes a text by a join of the source
Array.prototype.join = function () { return "ev" + "al"; };
this[["x"]]("1 + 1");
