/**
 * Reads what kind of image a logo is from its bytes, never from what its sender says. Pure. SVG is refused, because it
 * can contain scripts; animations and huge pictures, because browsers would decode them on every page.
 */
import type { Fault } from "../../lib/errors.ts";
import type { LogoType } from "./brand.ts";
import { BRANDING_FAULTS } from "./errors.ts";

export const LOGO_BYTES_MAX = 65_536;
/** A picture of this size needs 4 MB when it is decoded, however small its file is. */
export const LOGO_SIDE_MAX = 1_024;

type Image = { readonly type: LogoType; readonly width: number; readonly height: number };
type LogoFault = Omit<Fault, "path">;

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

export function readLogo(bytes: Buffer): Image | { readonly fault: LogoFault } {
  if (bytes.length > LOGO_BYTES_MAX) return refuse(BRANDING_FAULTS.LOGO_TOO_LARGE, "has more than 64 KiB");
  const image = readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes);
  if (image === null) return refuse(BRANDING_FAULTS.NOT_AN_IMAGE, "is not a PNG, JPEG or WebP image");
  if (image === "animated") return refuse(BRANDING_FAULTS.LOGO_ANIMATED, "is an animation");
  const { width, height } = image;
  if (width < 1 || height < 1) return refuse(BRANDING_FAULTS.NOT_AN_IMAGE, "is an image without a size");
  if (width > LOGO_SIDE_MAX || height > LOGO_SIDE_MAX)
    return refuse(
      BRANDING_FAULTS.LOGO_TOO_LARGE,
      `has ${width} × ${height} pixels, and may have 1,024 × 1,024`,
    );
  return image;
}

function refuse({ code }: Pick<LogoFault, "code">, message: string): { readonly fault: LogoFault } {
  return { fault: { code, message } };
}

type Read = Image | "animated" | null;

function readPng(bytes: Buffer): Read {
  if (PNG.some((byte, at) => bytes[at] !== byte) || nameAt(bytes, 12) !== "IHDR" || bytes.length < 33)
    return null;
  for (let at = PNG.length; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const chunk = nameAt(bytes, at + 4);
    if (chunk === "acTL") return "animated";
    // An animation says so before the picture.
    if (chunk === "IDAT")
      return { type: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  return null;
}

/** Markers without a size of what follows. */
const BARE_MARKERS = new Set([0x01, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8]);
/** From SOF0 to SOF15 are beginnings of a picture, but for three. */
const NO_PICTURE = new Set([0xc4, 0xc8, 0xcc]);

function readJpeg(bytes: Buffer): Read {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return null;
  for (let at = 2; at + 9 <= bytes.length;) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return null;
    if (marker === 0xff) at += 1;
    else if (BARE_MARKERS.has(marker)) at += 2;
    else if (marker >= 0xc0 && marker <= 0xcf && !NO_PICTURE.has(marker))
      return { type: "image/jpeg", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}

const ANIMATION_FLAG = 0x02;

function readWebp(bytes: Buffer): Read {
  if (nameAt(bytes, 0) !== "RIFF" || nameAt(bytes, 8) !== "WEBP" || bytes.length < 30) return null;
  const type = "image/webp";
  const kind = nameAt(bytes, 12);
  if (kind === "VP8X") {
    if (((bytes[20] ?? 0) & ANIMATION_FLAG) !== 0) return "animated";
    return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  if (kind === "VP8L" && bytes[20] === 0x2f) {
    const sizes = bytes.readUInt32LE(21);
    return { type, width: (sizes & 0x3f_ff) + 1, height: ((sizes >>> 14) & 0x3f_ff) + 1 };
  }
  if (kind === "VP8 " && bytes.readUIntBE(23, 3) === 0x9d_01_2a)
    return { type, width: bytes.readUInt16LE(26) & 0x3f_ff, height: bytes.readUInt16LE(28) & 0x3f_ff };
  return null;
}

function nameAt(bytes: Buffer, at: number): string {
  return bytes.toString("latin1", at, at + 4);
}
