// hostile: Function, in the open
var add = new Function("a", "b", "return a + b");
add(1, 2) === 3;
