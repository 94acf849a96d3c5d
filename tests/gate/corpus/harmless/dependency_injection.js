// harmless: a container that makes instances of classes it was given
class Container {
	constructor() { this.entries = new Map(); }
	register(name, Type, ...needs) { this.entries.set(name, { Type, needs }); return this; }
	resolve(name) {
		const { Type, needs } = this.entries.get(name);
		return new Type(...needs.map((need) => this.resolve(need)));
	}
}
class Clock { now() { return 42; } }
class Service { constructor(clock) { this.clock = clock; } time() { return this.clock.now(); } }
new Container().register("clock", Clock).register("service", Service, "clock").resolve("service").time() === 42;
