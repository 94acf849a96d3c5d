// hostile: call of call, to lose the receiver
Function.prototype.call.call(function () { return this; }).eval("1 + 1");
