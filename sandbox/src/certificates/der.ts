/** The few DER encodings (ITU-T X.690) that an X.509 certificate needs. */

export function derSequence(...parts: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(parts));
}

export function derSet(...parts: readonly Buffer[]): Buffer {
  return element(0x31, Buffer.concat(parts));
}

/** A positive integer, given as big-endian bytes. */
export function derInteger(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const minimal = first === -1 ? Buffer.from([0]) : bytes.subarray(first);
  // A set top bit would make it negative.
  const isNegative = (minimal[0] ?? 0) >= 0x80;
  return element(0x02, isNegative ? Buffer.concat([Buffer.from([0]), minimal]) : minimal);
}

export function derBoolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]));
}

export function derObjectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const septets = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) septets.unshift((left & 0x7f) | 0x80);
    bytes.push(...septets);
  }
  return element(0x06, Buffer.from(bytes));
}

export function derUtf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text));
}

export function derOctetString(bytes: Buffer): Buffer {
  return element(0x04, bytes);
}

/** @param unusedBits of the last byte */
export function derBitString(bytes: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

/** UTCTime until 2049 and GeneralizedTime after it, as RFC 5280, section 4.1.2.5 demands. */
export function derTime(at: Date): Buffer {
  const digits = at.toISOString().replace(/\D/g, "").slice(0, 14);
  return at.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : element(0x18, Buffer.from(`${digits}Z`));
}

/** `[number]` explicit. */
export function derExplicit(number: number, content: Buffer): Buffer {
  return element(0xa0 | number, content);
}

/** `[number]` implicit, of a primitive type. */
export function derImplicit(number: number, content: Buffer): Buffer {
  return element(0x80 | number, content);
}

function element(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), encodeLength(content.length), content]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let left = length; left > 0; left >>>= 8) bytes.unshift(left & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}
