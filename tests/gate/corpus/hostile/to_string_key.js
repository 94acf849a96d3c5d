// hostile: an object whose text is a name
var key = { toString: function () { return "ev" + "al"; } };
this["" + key]("1 + 1");
