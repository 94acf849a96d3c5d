// hostile: eval, destructured by a computed key
const key = "ev" + "al";
const { [key]: run } = globalThis;
run("1 + 1");
