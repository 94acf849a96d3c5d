// hostile: a getter that gives Function
const box = { get make() { return (() => {}).constructor; } };
box.make("return 1")();
