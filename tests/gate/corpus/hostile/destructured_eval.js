// hostile: eval, destructured out of the global object
const { eval: harmless } = globalThis;
harmless("1 + 1");
