// hostile: AsyncFunction, which has no name of its own
const AsyncFunction = (async () => {}).constructor;
new AsyncFunction("return 1")();
