// hostile: a getter changes the key that is read next
var key = { name: "x", get touch() { this.name = "ev" + "al"; return 1; } };
key.touch;
this[key.name]("1 + 1");
