// hostile: a method called without its object
function Box() {}
Box.self = function () { return this; };
var self = Box.self;
self().eval("1 + 1");
