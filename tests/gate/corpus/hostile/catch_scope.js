// hostile: `eval` is a local in one block, and the global outside of it
try { throw (text) => text; } catch (eval) { eval("safe"); }
eval("1 + 1");
