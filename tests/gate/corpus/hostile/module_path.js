// hostile: the path of the script, then a file beside it
var file = __dirname + "/../config.json";
console.log(file, __filename);
