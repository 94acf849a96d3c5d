// hostile: a pattern that assigns to the global object
var key = "x";
({ value: this.key } = { value: "ev" + "al" });
this[key]("1 + 1");
