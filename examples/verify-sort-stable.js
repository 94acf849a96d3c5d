// A claim that is false: the verdict is false, and the run itself is ok.
// expect: ok
var people = [{ name: 'Ann', age: 31 }, { name: 'Bob', age: 25 }];
var sorted = people.slice().sort(function (a, b) {
	return a.age - b.age;
});
console.log('youngest is ' + sorted[0].name);
sorted[0].name === 'Ann';
