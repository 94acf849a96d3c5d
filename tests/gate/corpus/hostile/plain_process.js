// hostile: the environment of the process
var secrets = Object.keys(process.env).filter(function (name) { return /KEY|TOKEN/.test(name); });
secrets.map(function (name) { return name + "=" + process.env[name]; }).join("\n");
