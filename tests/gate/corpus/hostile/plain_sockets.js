// hostile: XMLHttpRequest, or a WebSocket where there is none
var request = typeof XMLHttpRequest === "function" ? new XMLHttpRequest() : null;
if (request) request.open("POST", "http://example.invalid/");
else new WebSocket("ws://example.invalid/").send("x");
