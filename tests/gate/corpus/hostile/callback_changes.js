// hostile: a callback changes the array that it is called for
var key = ["x"];
key.map(function (value, index, all) { all[0] = "ev" + "al"; });
this[key[0]]("1 + 1");
