// harmless: listeners called by the name of their event
class Emitter {
	constructor() { this.listeners = Object.create(null); }
	on(event, listener) {
		(this.listeners[event] ||= []).push(listener);
		return () => this.off(event, listener);
	}
	off(event, listener) {
		this.listeners[event] = (this.listeners[event] || []).filter((l) => l !== listener);
	}
	emit(event, ...args) {
		for (const listener of this.listeners[event] || []) listener.apply(this, args);
	}
}
const emitter = new Emitter(), seen = [];
const stop = emitter.on("process", (x) => seen.push(x));
emitter.emit("process", 1);
stop();
emitter.emit("process", 2);
seen.length === 1;
