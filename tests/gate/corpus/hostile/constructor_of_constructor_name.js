// hostile: Function found by the name of a constructor
const find = (o) => (o.constructor.name === "Function" ? o.constructor : find(o.constructor));
find({})("return 1")();
