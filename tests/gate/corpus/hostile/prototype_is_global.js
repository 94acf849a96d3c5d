// hostile: an object that inherits the globals
var heir = {};
Object.setPrototypeOf(heir, this);
heir.eval("1 + 1");
