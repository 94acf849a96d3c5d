// harmless: borrows call and apply to make functions of methods
var slice = Function.prototype.call.bind(Array.prototype.slice);
var max = Function.prototype.apply.bind(Math.max, null);
slice([1, 2, 3], 1).join() + max([1, 5, 2]) === "2,35";
