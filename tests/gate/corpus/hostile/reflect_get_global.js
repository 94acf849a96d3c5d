// hostile: eval, by Reflect.get over the global object
Reflect.get(globalThis, ["e", "val"].join(""))("1 + 1");
