// classes: inheritance, super, static members, accessors
class Shape {
  static count = 0;
  constructor(name) {
    this.name = name;
    Shape.count += 1;
  }
  get label() {
    return `${this.name} of area ${this.area().toFixed(2)}`;
  }
  area() {
    return 0;
  }
}

class Circle extends Shape {
  constructor(radius) {
    super('circle');
    this.radius = radius;
  }
  area() {
    return Math.PI * this.radius ** 2;
  }
}

class Square extends Shape {
  constructor(side) {
    super('square');
    this.side = side;
  }
  area() {
    return this.side ** 2;
  }
}

const shapes = [new Circle(1), new Square(2)];
for (const shape of shapes) console.log(shape.label);
console.log(shapes[1]);
Shape.count;
