// hostile: optional chaining to eval and to a constructor
globalThis?.["eval"]?.("1 + 1");
parseInt?.constructor?.("return 1")?.();
