// Looks for a way out through what Node has: there is none of it here.
// expect: ok
// options: -p open
var found = ['process', 'require', 'module', 'global', 'fetch', 'XMLHttpRequest', 'Duktape']
	.filter(function (name) {
		return typeof this[name] !== 'undefined';
	}, (function () { return this; })());
try {
	require('child_process').execSync('id');
	found.push('ran a command');
} catch (e) {
	console.error(e.name + ': ' + e.message);
}
found.length === 0 ? 'nothing found' : found;
