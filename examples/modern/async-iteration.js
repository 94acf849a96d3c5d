// async iteration: pages that arrive one after the other, for await
const pages = [['a', 'b'], ['c'], []];
const fetchPage = async (n) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return { items: pages[n], next: n + 1 < pages.length ? n + 1 : null };
};

async function* allItems() {
  for (let n = 0; n !== null;) {
    const { items, next } = await fetchPage(n);
    console.log('page', n, items);
    yield* items;
    n = next;
  }
}

const ticker = {
  async *[Symbol.asyncIterator]() {
    try {
      for (let i = 0; ; i++) yield i;
    } finally {
      console.log('stopped');
    }
  },
};

(async () => {
  const found = [];
  for await (const item of allItems()) found.push(item.toUpperCase());
  for await (const i of ticker) if (i === 2) break;
  for await (const x of [Promise.resolve('p'), 'q']) found.push(x);
  return found;
})();
