// hostile: Function, as the value of the own descriptors of a prototype
const found = Object.values(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(isNaN)))
	.map((d) => d.value)
	.filter((v) => typeof v === "function" && v.name.startsWith("Func"));
found[0]("return 1")();
