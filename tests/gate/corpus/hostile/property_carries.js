// hostile: the global object as a property of a function
function Registry() {}
Registry.home = this;
Registry.home.eval("1 + 1");
