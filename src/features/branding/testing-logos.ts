/** Images of a size, as small as their heads. */
import { crc32 } from "node:zlib";

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
}

/** @param more chunks between the head and the picture */
export function pngOf(width: number, height: number, more: readonly Buffer[] = []): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6], 8);
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [
    chunk("IHDR", head),
    ...more,
    chunk("IDAT", Buffer.alloc(4)),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([start, ...parts]);
}

export function animatedPng(): Buffer {
  return pngOf(8, 8, [chunk("acTL", Buffer.alloc(8))]);
}

export function jpegOf(width: number, height: number): Buffer {
  const bytes = Buffer.from("ffd8ffe000104a46494600010100000100010000ffc0001108", "hex");
  const sizes = Buffer.alloc(4);
  sizes.writeUInt16BE(height, 0);
  sizes.writeUInt16BE(width, 2);
  return Buffer.concat([bytes, sizes, Buffer.alloc(16)]);
}

/** @param flags of the head of an extended file; 2: an animation */
export function webpOf(width: number, height: number, flags = 0): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write("RIFF", 0);
  bytes.write("WEBPVP8X", 8);
  bytes[20] = flags;
  bytes.writeUIntLE(width - 1, 24, 3);
  bytes.writeUIntLE(height - 1, 27, 3);
  return bytes;
}
