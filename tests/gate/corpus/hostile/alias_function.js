// hostile: Function by another name, without new
let make = Function;
const source = "return 7 * 6";
make(source)() === 42;
