// hostile: Function, two patterns deep
const { constructor: { constructor: Make } } = [];
Make("return 1")();
