// symbols: hidden keys, well-known symbols, the registry
const secret = Symbol('secret');
class Temperature {
  constructor(celsius) {
    this.celsius = celsius;
    this[secret] = 'kept';
  }
  [Symbol.toPrimitive](hint) {
    return hint === 'string' ? `${this.celsius} C` : this.celsius;
  }
  get [Symbol.toStringTag]() {
    return 'Temperature';
  }
  static [Symbol.hasInstance](value) {
    return typeof value === 'object' && value !== null && 'celsius' in value;
  }
}

const t = new Temperature(20);
console.log(`${t}`, t + 1, t > 19, Object.prototype.toString.call(t));
console.log(Object.keys(t), t[secret], secret.description, secret);
console.log({ celsius: 1 } instanceof Temperature, Symbol.for('a') === Symbol.for('a'));
console.log(Symbol.keyFor(Symbol.for('shared')), typeof Symbol.iterator);
({ [secret]: 1, [Symbol()]: 2 });
