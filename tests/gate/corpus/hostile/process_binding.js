// hostile: the process by the global object, then its bindings
const p = globalThis["pro" + "cess"];
p.binding("fs");
