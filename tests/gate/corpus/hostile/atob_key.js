// hostile: eval by base64
var g = globalThis;
g[atob("ZXZhbA==")](atob("MSsx"));
