// hostile: eval, found by its length among the values of the globals
const all = Object.getOwnPropertyDescriptors(globalThis);
for (const key in all) if (key.length === 4 && key.charCodeAt(1) === 118) all[key].value("1 + 1");
