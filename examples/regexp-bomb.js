// A regular expression that backtracks for ever, inside one call of the engine.
// expect: timeout
// options: --timeout 500ms
console.log('matching');
/(x+x+)+y/.test('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx');
