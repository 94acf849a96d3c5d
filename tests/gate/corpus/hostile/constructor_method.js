// hostile: Function by the constructor of a method
"".sub.constructor("return this")();
