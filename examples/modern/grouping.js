// grouping and aggregating with reduce and Map
const orders = [
  { customer: 'ann', item: 'tea', total: 4.5 },
  { customer: 'bob', item: 'cake', total: 3 },
  { customer: 'ann', item: 'cake', total: 3.25 },
];

const groupBy = (items, key) =>
  items.reduce((groups, item) => {
    (groups[key(item)] ??= []).push(item);
    return groups;
  }, {});

const groups = groupBy(orders, ({ customer }) => customer);
for (const [customer, list] of Object.entries(groups)) console.log(customer, list.length, list.map((o) => o.item));

const totals = new Map();
for (const { customer, total } of orders) totals.set(customer, (totals.get(customer) ?? 0) + total);
console.log(totals);

const [cheap, dear] = orders.reduce(([a, b], o) => (o.total < 4 ? [[...a, o], b] : [a, [...b, o]]), [[], []]);
console.log(cheap.length, dear.length);
Object.fromEntries(totals);
