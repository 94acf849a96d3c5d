// hostile: GeneratorFunction, by the prototype of a generator
const GeneratorFunction = Object.getPrototypeOf(function* () {}).constructor;
GeneratorFunction("yield 1")().next();
