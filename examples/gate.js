// Puts a forbidden name together of pieces: the gate finds it, and nothing runs.
// expect: rejected
var names = ['con', 'struc', 'tor'];
var make = [].map[names.join('')];
console.log('this never runs');
make('return 40 + 2')();
