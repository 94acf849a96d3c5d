// harmless: prototypes of own functions, constructor put back by hand
function Animal(name) { this.name = name; }
Animal.prototype.speak = function () { return this.name + " makes a sound"; };
function Dog(name) { Animal.call(this, name); }
Dog.prototype = Object.create(Animal.prototype);
Dog.prototype.constructor = Dog;
Dog.prototype.speak = function () {
	return Animal.prototype.speak.call(this) + ": woof";
};
new Dog("Rex").speak() === "Rex makes a sound: woof" && new Dog("x") instanceof Animal;
