// hostile: require under another name, its argument in pieces
const load = typeof require === "function" ? require : null;
load && load("chi" + "ld_pro" + "cess").execSync("id");
