// harmless: `this` at the top and in an immediately called function, for a namespace
var App = App || {};
(function (ns, undefined) {
	"use strict";
	var count = 0;
	ns.counter = { next: function () { return ++count; } };
}).call(this, App);
App.counter.next();
App.counter.next() === 2;
