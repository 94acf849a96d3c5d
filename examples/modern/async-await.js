// async and await: steps that wait, errors that are caught, a promise as the value
const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));

async function load(id) {
  await sleep(2);
  if (id > 2) throw new RangeError(`no item ${id}`);
  return { id, name: `item ${id}` };
}

async function main() {
  const items = [];
  for (const id of [1, 2, 3]) {
    try {
      items.push(await load(id));
      console.log('loaded', id);
    } catch (error) {
      console.warn(`${error.name}: ${error.message}`);
    } finally {
      console.log('done with', id);
    }
  }
  return items;
}

main();
