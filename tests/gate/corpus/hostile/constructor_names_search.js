// hostile: Function, by looking for the long name on a prototype
const proto = Object.getPrototypeOf(() => {});
for (const name of Object.getOwnPropertyNames(proto))
	if (name.length === 11 && name[0] === "c") proto[name]("return 1")();
