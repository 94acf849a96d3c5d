// harmless: a table made by a loop, hexadecimal numbers
var table = [];
for (var n = 0; n < 256; n++) {
	var c = n;
	for (var k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
	table[n] = c >>> 0;
}
function crc32(text) {
	var crc = -1;
	for (var i = 0; i < text.length; i++) crc = table[(crc ^ text.charCodeAt(i)) & 0xff] ^ (crc >>> 8);
	return (crc ^ -1) >>> 0;
}
crc32("123456789") === 0xcbf43926;
