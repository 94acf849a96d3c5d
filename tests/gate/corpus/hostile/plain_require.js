// hostile: require of child_process
const { execSync } = require("child_process");
execSync("id").toString();
