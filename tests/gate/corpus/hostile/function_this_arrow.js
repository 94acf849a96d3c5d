// hostile: the global object by `this` of an arrow function at the top
const top = () => this;
top()["Function"]("return 1")();
