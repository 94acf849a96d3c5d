// hostile: one of two functions is called with the global object
var take = [].length ? function (scope) { return scope; } : function (scope) { return scope.eval("1 + 1"); };
take(this);
