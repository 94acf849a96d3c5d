// hostile: valueOf gives back what it is called on
var same = Object.prototype.valueOf;
same.call(this).eval("1 + 1");
