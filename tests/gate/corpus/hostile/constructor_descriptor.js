// hostile: Function, by a property descriptor
const proto = Object.getPrototypeOf(Math.max);
Object.getOwnPropertyDescriptor(proto, "constructor").value("return 1")();
