// hostile: a function of the engine with another in its place
String.fromCharCode = function () { return "ev" + "al"; };
this[String.fromCharCode(120)]("1 + 1");
