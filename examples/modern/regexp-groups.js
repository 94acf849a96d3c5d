// regular expressions: named groups, lookbehind, matchAll, the flags s, u and y
const log = `2024-05-01 ERROR disk full
2024-05-02 INFO started
2024-05-03 ERROR no route`;

const line = /^(?<date>\d{4}-\d\d-\d\d) (?<level>[A-Z]+) (?<text>.*)$/gm;
const entries = [...log.matchAll(line)].map((m) => ({ ...m.groups }));
console.log(entries.filter((e) => e.level === 'ERROR').map(({ date, text }) => `${date}: ${text}`));

console.log('2024-05-01'.replace(/(?<y>\d+)-(?<m>\d+)-(?<d>\d+)/, '$<d>.$<m>.$<y>'));
console.log('costs $15 and €20'.match(/(?<=[$€])\d+/gu));
console.log(/<b>(.*?)<\/b>/s.exec('<b>two\nlines</b>')[1].length);
console.log('Été à Paris'.match(/\p{Lu}\p{L}*/gu));

const token = /\s*(\d+|[-+*/()])/y;
const tokens = [];
for (let m; (m = token.exec('12 + 3*(4 - 1)'));) tokens.push(m[1]);
tokens;
