// tagged templates: escaping, raw text, a cached strings array
const escape = (value) => String(value).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const html = (strings, ...values) =>
  strings.reduce((out, s, i) => out + s + (i < values.length ? escape(values[i]) : ''), '');

const sql = (strings, ...values) => ({ text: strings.join('?'), values });
const name = '<Bobby> "Tables" & co';

console.log(html`<p title="${name}">${1 + 1}</p>`);
console.log(sql`select * from t where a = ${5} and b = ${'x'}`);
console.log(String.raw`C:\new\table ${1}`, `a\tb`.length);

const seen = [];
const tag = (strings) => seen.push(strings);
for (let i = 0; i < 2; i++) tag`same place`;
console.log(seen[0] === seen[1], Object.isFrozen(seen[0]), seen[0].raw);
html`${[1, 2]}`;
