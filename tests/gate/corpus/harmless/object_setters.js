// harmless: getters, setters and defineProperty on objects of its own
const temperature = {
	celsius: 20,
	get fahrenheit() { return this.celsius * 1.8 + 32; },
	set fahrenheit(f) { this.celsius = (f - 32) / 1.8; },
};
Object.defineProperty(temperature, "kelvin", { get() { return this.celsius + 273.15; }, enumerable: false });
temperature.fahrenheit = 212;
Math.round(temperature.kelvin) === 373 && Object.keys(temperature).length === 2;
