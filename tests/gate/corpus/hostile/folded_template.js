// hostile: Function by a key made of a template string
const half = "Func";
globalThis[`${half}tion`]("return this")();
