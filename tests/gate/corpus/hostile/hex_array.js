// hostile: an array of encoded words and a function that reads it, as obfuscators make
var _0x4f2a = ["\x65\x76\x61\x6c", "\x31\x2b\x31", "\x6c\x6f\x67"];
var _0x1c3d = function (_0x5e6f) {
	_0x5e6f = _0x5e6f - 0x0;
	return _0x4f2a[_0x5e6f];
};
(function (_0x2b1c) { _0x2b1c[_0x1c3d("0x0")](_0x1c3d("0x1")); })(globalThis);
