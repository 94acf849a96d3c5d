// typed arrays: bytes, views of one buffer, a checksum
const buffer = new ArrayBuffer(8);
const bytes = new Uint8Array(buffer);
const view = new DataView(buffer);
view.setUint16(0, 0xcafe);
view.setFloat32(4, 1.5, true);
console.log(bytes, view.getUint8(1).toString(16));

const crc32 = (data) => {
  let crc = ~0;
  for (const byte of data) {
    crc ^= byte;
    for (let k = 0; k < 8; k++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
};
const text = Uint8Array.from('123456789', (c) => c.charCodeAt(0));
console.log(crc32(text).toString(16));

const clamped = Uint8ClampedArray.of(-5, 300, 7.6);
console.log(clamped, new Float64Array([0.5]).map((x) => x * 2), new BigInt64Array([-1n]));
const part = bytes.subarray(0, 2);
part.fill(1);
Array.from(bytes);
