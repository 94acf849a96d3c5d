// a small interpreter: tagged objects, switch, recursion, a Map of functions
const operators = new Map([
  ['+', (a, b) => a + b], ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
]);
const strength = { '+': 1, '-': 1, '*': 2, '/': 2 };

const tokenize = (text) => text.match(/\d+(?:\.\d+)?|[-+*/()]/g) ?? [];

function parse(tokens) {
  const peek = () => tokens[0];
  const primary = () => {
    const token = tokens.shift();
    if (token !== '(') return { type: 'number', value: Number(token) };
    const inner = binary(0);
    tokens.shift();
    return inner;
  };
  const binary = (least) => {
    let left = primary();
    while (strength[peek()] > least) {
      const operator = tokens.shift();
      left = { type: 'binary', operator, left, right: binary(strength[operator]) };
    }
    return left;
  };
  return binary(0);
}

const evaluate = (node) => {
  switch (node.type) {
    case 'number': return node.value;
    case 'binary': return operators.get(node.operator)(evaluate(node.left), evaluate(node.right));
    default: throw new TypeError(`no node ${node.type}`);
  }
};

console.log(parse(tokenize('1 + 2 * 3')));
['2 * (3 + 4)', '10 / 4 - 1', '8 - 3 - 2'].map((text) => evaluate(parse(tokenize(text))));
