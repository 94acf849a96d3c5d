// default parameters: earlier parameters, calls, undefined and null
let ids = 0;
const nextId = () => ++ids;

function user(name = 'anonymous', id = nextId(), { admin = false, tags = [] } = {}) {
  return { name, id, admin, tags };
}

console.log(user());
console.log(user('Eve', undefined, { admin: true }));
console.log(user(null, 7, { tags: ['x'] }));
console.log(user.length, ids);

const pad = (text, width = text.length + 2, fill = '.') => text.padStart(width, fill);
console.log(pad('a'), pad('a', 5), pad('a', undefined, '-'));

const required = (name) => {
  throw new TypeError(`${name} is required`);
};
const connect = (host = required('host')) => host;
try {
  connect();
} catch ({ message }) {
  console.log(message);
}
user(...['Zed', 99]).id;
