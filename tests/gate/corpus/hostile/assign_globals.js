// hostile: all globals copied into an object of its own
const copy = Object.assign({}, Object.getOwnPropertyDescriptors(globalThis));
copy["e" + "val"].value("1 + 1");
