// hostile: Function through new.target of what was made
function Outer() { return new.target.constructor; }
const K = new Outer();
K("return 1")();
