// hostile: Function, spelled with escapes in braces
const f = new F\u{75}nction("return 1");
f();
