// hostile: Function, destructured out of a function
const { constructor: Make } = () => {};
Make("return 1")();
