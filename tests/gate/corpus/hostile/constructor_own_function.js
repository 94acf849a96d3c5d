// hostile: Function by the constructor of a function expression
(function () {}).constructor("return 6 * 7")();
