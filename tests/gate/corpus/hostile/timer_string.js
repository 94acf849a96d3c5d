// hostile: a timer that is given text
var stolen = "console.log('ran')";
setTimeout(stolen, 0);
