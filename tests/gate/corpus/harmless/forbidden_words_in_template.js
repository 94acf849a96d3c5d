// harmless: a template string that only talks of such things
const user = { name: "Ada", home: "/home/ada" };
const text = `
Dear ${user.name}, do not call eval() or require("fs").
process.env.HOME would be ${user.home}; fetch(url) is not there either.
`;
text.includes("eval()") && text.trim().split("\n").length === 2;
