// hostile: Function, by call and apply
Function.prototype.call.call(Function, null, "return 1")();
