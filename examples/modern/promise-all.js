// promises: all, allSettled, race, any, and the order of jobs
const wait = (ms, value) => new Promise((resolve) => setTimeout(() => resolve(value), ms));
const fail = (message) => Promise.reject(new Error(message));

const order = [];
setTimeout(() => order.push('timer'), 0);
Promise.resolve().then(() => order.push('job')).finally(() => order.push('finally'));
queueMicrotask(() => order.push('microtask'));
order.push('now');

async function main() {
  console.log(await Promise.all([wait(6, 'slow'), wait(2, 'quick'), 'plain']));
  console.log(await Promise.race([new Promise(() => {}), wait(1, 'hare')]));
  const settled = await Promise.allSettled([wait(1, 'fine'), fail('broken')]);
  console.log(settled.map(({ status, value, reason }) => `${status}: ${value ?? reason.message}`));
  console.log(await Promise.any([fail('first'), wait(1, 'second')]));
  await Promise.any([fail('a'), fail('b')]).catch((error) => {
    console.log(error.name, error.errors.map((e) => e.message));
  });
  return order;
}

main();
