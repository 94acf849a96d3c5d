// dates without Intl: ISO texts, differences, a calendar in UTC
const day = 24 * 60 * 60 * 1000;
const iso = (date) => date.toISOString().slice(0, 10);
const addDays = (date, n) => new Date(date.getTime() + n * day);
const daysBetween = (a, b) => Math.round((b - a) / day);

const start = new Date('2024-02-27T00:00:00Z');
console.log(Array.from({ length: 4 }, (_, i) => iso(addDays(start, i))));
console.log(daysBetween(start, new Date(Date.UTC(2024, 11, 25))));

const isLeap = (year) => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
console.log([1900, 2000, 2023, 2024].filter(isLeap));

const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
console.log(names[start.getUTCDay()], start);

const p = (n) => String(n).padStart(2, '0');
`${p(start.getUTCDate())}.${p(start.getUTCMonth() + 1)}.${start.getUTCFullYear()}`;
