// hostile: a timer that is given text, put together
var parts = ["conso", "le.log", "(1+1)"];
setInterval(parts.join(""), 1000);
