// hostile: the global object in an array, with the name beside it
var pair = [];
pair.push(this, "ev" + "al");
pair[0][pair[1]]("1 + 1");
