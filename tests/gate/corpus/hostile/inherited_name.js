// hostile: constructor as a bare name, from what the global object inherits
var Maker = constructor.constructor;
new Maker("return 1")();
