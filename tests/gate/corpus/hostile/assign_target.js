// hostile: eval given to an object, then called as a method
const tools = {};
tools.calc = eval;
tools["ca" + "lc"]("1 + 1");
