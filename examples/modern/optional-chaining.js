// optional chaining and ??: members, calls and keys that may be missing
const users = [
  { name: 'Ann', address: { city: 'Oslo' }, greet: (who) => `hello ${who}` },
  { name: 'Bob', address: null, scores: [0, 3] },
  null,
];

for (const user of users) {
  console.log(user?.name ?? 'nobody', user?.address?.city ?? '-', user?.scores?.[0] ?? 'none', user?.greet?.('you') ?? 'silent');
}

const settings = { retries: 0, title: '', theme: null };
settings.theme ??= 'dark';
settings.retries ||= 5;
settings.title &&= 'never';
const { retries: n, ...rest } = settings;
console.log(n, rest, 0 ?? 1, null ?? undefined ?? 'last');
users.map((user) => user?.scores?.reduce((a, b) => a + b) ?? null);
