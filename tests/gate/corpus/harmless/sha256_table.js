// harmless: constants and bit operations; dense, but plain arithmetic
const K = [0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5];
const rotr = (x, n) => (x >>> n) | (x << (32 - n));
const ch = (x, y, z) => (x & y) ^ (~x & z);
const maj = (x, y, z) => (x & y) ^ (x & z) ^ (y & z);
const S0 = (x) => rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22);
const S1 = (x) => rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25);
let [a, b, c, d, e, f, g, h] = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
for (const k of K) {
	const t1 = (h + S1(e) + ch(e, f, g) + k) | 0, t2 = (S0(a) + maj(a, b, c)) | 0;
	[h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
}
(a >>> 0).toString(16).length > 0;
