// Anything can be thrown, null too.
// expect: error
console.log('before');
throw null;
