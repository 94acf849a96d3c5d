// harmless: looks for the global object, and asks it for features that are plain
var root = typeof globalThis !== "undefined" ? globalThis : typeof window !== "undefined" ? window : this;
var hasMap = typeof root.Map === "function";
var hasSymbol = "Symbol" in root;
var now = root.performance && root.performance.now ? "performance" : "Date";
[hasMap, hasSymbol, now].length === 3;
