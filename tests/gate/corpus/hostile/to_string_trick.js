// hostile: Function called when a value becomes a string
const bomb = { toString: Function("return 'x'") };
String(bomb);
