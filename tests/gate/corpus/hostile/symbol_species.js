// hostile: Function as the species of an array
const list = ["return 1"];
list.constructor = { [Symbol.species]: function () { return [].concat.constructor; } };
list.constructor[Symbol.species]()("return 1")();
