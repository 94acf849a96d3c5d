// Does not parse: the error has a line, and nothing has run.
// expect: error
console.log('never seen');
var x = ;
