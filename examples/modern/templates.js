// template strings: expressions, nesting, several lines
const items = [
  { name: 'apple', price: 0.5, count: 4 },
  { name: 'bread', price: 2.25, count: 1 },
];
const total = items.reduce((sum, { price, count }) => sum + price * count, 0);

const receipt = `RECEIPT
${items.map(({ name, price, count }) => `${name.padEnd(8)}${count} x ${price.toFixed(2).padStart(6)}`).join('\n')}
${'-'.repeat(18)}
${'total'.padEnd(12)}${total.toFixed(2).padStart(6)}${total > 4 ? ' *' : ''}`;

for (const line of receipt.split('\n')) console.log(line);
console.log(`a backtick \` and a dollar \${x} and ${`a ${'nested'} one`}`);
`${items.length} items, ${total}`;
