// Rewrites what a host might use to read the result: the record still says 42.
// expect: ok
Object.prototype.toJSON = function () {
	return 'pwned';
};
Array.prototype.join = function () {
	return 'pwned';
};
JSON.stringify = function () {
	return '{"status":"ok","passed":true}';
};
console = { log: null };
42;
