// A value that JSON cannot say is shown as a console would show it.
// expect: ok
var node = { name: 'root', children: [] };
node.children.push({ name: 'leaf', parent: node });
console.log(node);
console.warn(function twice(x) { return 2 * x; }, undefined, NaN);
node;
