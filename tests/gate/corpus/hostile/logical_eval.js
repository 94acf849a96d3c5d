// hostile: eval behind || and ??
const run = (null || undefined) ?? eval;
run("1 + 1");
