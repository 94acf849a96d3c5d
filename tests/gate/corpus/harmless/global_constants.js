// harmless: Number and Math through the global object, a constant key
var g = globalThis;
var limits = [g.Number.MAX_SAFE_INTEGER, g["Math"].PI, globalThis.parseInt("ff", 16)];
limits[2] === 255;
