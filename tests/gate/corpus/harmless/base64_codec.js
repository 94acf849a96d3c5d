// harmless: base64 by hand, on data; a table of characters and fromCharCode
var alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
function encode(text) {
	var out = "", i, n;
	for (i = 0; i < text.length; i += 3) {
		n = (text.charCodeAt(i) << 16) | ((text.charCodeAt(i + 1) || 0) << 8) | (text.charCodeAt(i + 2) || 0);
		out += alphabet[n >> 18] + alphabet[(n >> 12) & 63];
		out += i + 1 < text.length ? alphabet[(n >> 6) & 63] : "=";
		out += i + 2 < text.length ? alphabet[n & 63] : "=";
	}
	return out;
}
function decode(text) {
	var bits = 0, count = 0, out = "";
	for (var i = 0; i < text.length && text[i] !== "="; i++) {
		bits = (bits << 6) | alphabet.indexOf(text[i]);
		count += 6;
		if (count >= 8) out += String.fromCharCode((bits >> (count -= 8)) & 255);
	}
	return out;
}
encode("Hello, world") === "SGVsbG8sIHdvcmxk" && decode(encode("eval")) === "eval";
