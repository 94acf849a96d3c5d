// getters and setters: in classes, in literals, defined later
class Temperature {
  static #zero = -273.15;
  #celsius = 0;
  get celsius() {
    return this.#celsius;
  }
  set celsius(value) {
    if (value < Temperature.#zero) throw new RangeError('colder than nothing');
    this.#celsius = value;
  }
  get fahrenheit() {
    return this.celsius * 1.8 + 32;
  }
  set fahrenheit(value) { this.celsius = (value - 32) / 1.8; }
}

const t = new Temperature();
t.fahrenheit = 212;
console.log(t.celsius, t.fahrenheit);
try {
  t.celsius = -300;
} catch ({ name, message }) {
  console.log(name, message);
}

const person = {
  first: 'Grace',
  last: 'Hopper',
  get full() {
    return `${this.first} ${this.last}`;
  },
  set full(text) {
    [this.first, this.last] = text.split(' ');
  },
};
person.full = 'Alan Turing';
Object.defineProperty(person, 'initials', { get: () => person.full.replace(/[^A-Z]/g, ''), enumerable: false });
console.log(person.full, person.initials, person);
Object.keys(person);
