// hostile: a worker with a source of its own
var worker = new Worker("data:text/javascript,postMessage(1)");
worker.onmessage = function (event) { console.log(event.data); };
