// destructuring: nested, with defaults, in parameters and in loops
const response = {
  user: { name: 'Ada', address: { city: 'London' } },
  tags: ['maths', 'engines', 'poetry'],
};

const {
  user: { name, address: { city, zip = 'unknown' } },
  tags: [first, ...others],
} = response;
console.log(name, city, zip, first, others);

const area = ({ width = 1, height = width } = {}) => width * height;
console.log(area(), area({ width: 3 }), area({ width: 2, height: 5 }));

let [x, y] = [1, 2];
[x, y] = [y, x];
console.log({ x, y });

const { tags, ...rest } = response;
for (const [index, tag] of tags.entries()) console.log(index, tag);
rest;
