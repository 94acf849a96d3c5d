// hostile: globals by a name from the input, whatever it is
const wanted = (typeof input === "string" && input) || "parseInt";
const tool = globalThis[wanted];
tool("12");
