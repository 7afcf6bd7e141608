/**
 * Finds a secret in bytes, whatever form it was brought into on the way. A canary is built around a text
 * that occurs nowhere else, with characters in it that every encoding treats differently.
 */
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { constants, gunzipSync, inflateSync } from "node:zlib";

export type Needle = { readonly form: string; readonly bytes: Buffer };

/** Where a needle was found, for the message of a failed test. */
export type Hit = { readonly place: string; readonly form: string };

export type Canaries = {
  /** What all values of `make` have in common; the needles search for it. */
  readonly texts: readonly string[];
  /** A new secret value. */
  make(label: string): string;
};

/** Quote, backslash, umlaut, newline and slash: escaped by JSON, URLs and forms, each in its own way. */
const SPECIAL = '"\\\u00e9\n/';

export function createCanaries(): Canaries {
  const [head, tail] = [randomText(), randomText()];
  return {
    // Only letters and digits: they survive every way of escaping and of cutting.
    texts: [head, tail],
    make: (label) => `${label}:${head}${SPECIAL}${tail}:${randomText()}`,
  };
}

function randomText(): string {
  return `c${randomBytes(12).toString("hex").slice(0, 19)}`;
}

/**
 * A text in plain, base64 (at its three offsets), hex and UTF-16 encoding. Of letters, digits and hyphens
 * JSON, URLs, forms and PostgreSQL's log all leave the plain form as it is; others are refused.
 */
export function needlesOf(text: string): readonly Needle[] {
  if (!/^[\w-]+$/.test(text) || text.length < MIN_LENGTH)
    throw new Error("Escaping would hide this text, or it is too short.");
  const bytes = Buffer.from(text);
  const forms: [string, Buffer][] = [
    ["plain", bytes],
    ["hex", Buffer.from(bytes.toString("hex"))],
    ["upper-case hex", Buffer.from(bytes.toString("hex").toUpperCase())],
    ["UTF-16LE", Buffer.from(text, "utf16le")],
    ["UTF-16BE", Buffer.from(text, "utf16le").swap16()],
  ];
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    // The characters at both ends depend on the neighbours too.
    const own = encoded.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
    forms.push([`base64 at offset ${offset}`, Buffer.from(own)]);
    forms.push([`base64url at offset ${offset}`, Buffer.from(own.replaceAll("+", "-").replaceAll("/", "_"))]);
  }
  const unique = new Map(
    forms.map(([form, encoded]) => [encoded.toString("latin1"), { form, bytes: encoded }]),
  );
  return [...unique.values()];
}

/** A key of 32 bytes: as it is, and as the text that its file has. */
export function needlesOfKey(text: string): readonly Needle[] {
  const bytes = Buffer.from(text, "base64url");
  const raw = { form: "raw", bytes };
  return [raw, ...needlesOf(text), ...needlesOf(bytes.toString("hex"))];
}

const MIN_LENGTH = 20;
const BLOCK = 4;
/** Each needle in some bytes has a whole block at a multiple of this. */
const STRIDE = MIN_LENGTH - BLOCK + 1;

/** The forms in which any of the texts occurs in the bytes, or in what they hold compressed. */
export function findNeedles(bytes: Buffer, needles: readonly Needle[]): readonly string[] {
  const expanded = expand(bytes).flatMap((inner) => find(inner, needles).map((form) => `compressed ${form}`));
  return [...new Set([...find(bytes, needles), ...expanded])];
}

/** A gzip member (RFC 1952), or a zlib stream of any level with the usual window (RFC 1950). */
const COMPRESSED = [
  { start: Buffer.of(0x1f, 0x8b, 0x08), expand: gunzipSync },
  ...[0x01, 0x5e, 0x9c, 0xda].map((level) => ({ start: Buffer.of(0x78, level), expand: inflateSync })),
];

/** Unpacks as far as possible: a stream may be cut off, and unrelated bytes may follow it. */
function expand(bytes: Buffer): readonly Buffer[] {
  return COMPRESSED.flatMap(({ start, expand: unpack }) => {
    const found: Buffer[] = [];
    for (let at = bytes.indexOf(start); at >= 0; at = bytes.indexOf(start, at + 1)) {
      try {
        found.push(unpack(bytes.subarray(at), { finishFlush: constants.Z_SYNC_FLUSH }));
      } catch (error) {
        if (!isZlibError(error)) throw error;
      }
    }
    return found;
  });
}

/** These bytes only looked like a compressed stream. */
function isZlibError(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(?:Z_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code));
}

/**
 * Looks at every seventeenth position only (Wu and Manber, 1994): hundreds of megabytes are searched after each
 * step of a test.
 */
function find(bytes: Buffer, needles: readonly Needle[]): readonly string[] {
  const blocks = new Set<number>();
  for (const { bytes: needle } of needles) {
    for (let at = 0; at < STRIDE; at++) blocks.add(needle.readInt32LE(at));
  }
  const found = new Set<string>();
  for (let at = 0; at + BLOCK <= bytes.length; at += STRIDE) {
    if (!blocks.has(bytes.readInt32LE(at))) continue;
    for (const { form, bytes: needle } of needles) {
      const around = bytes.subarray(Math.max(0, at - needle.length), at + needle.length);
      if (around.includes(needle)) found.add(form);
    }
  }
  return [...found];
}

/** Searches every file below a folder, except below some excluded folders. */
export async function searchFolder(
  folder: string,
  needles: readonly Needle[],
  except: readonly string[] = [],
): Promise<{ readonly hits: readonly Hit[]; readonly searchedBytes: number }> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await searchOnce(folder, needles, except);
    } catch (error) {
      // A running process renames and removes files. A missing file may exist under another name.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === 10) throw error;
    }
  }
}

async function searchOnce(
  folder: string,
  needles: readonly Needle[],
  except: readonly string[],
): Promise<{ readonly hits: readonly Hit[]; readonly searchedBytes: number }> {
  const hits: Hit[] = [];
  let searchedBytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || except.some((name) => file.startsWith(path.join(folder, name) + path.sep)))
      continue;
    const found = await searchFile(file, needles);
    searchedBytes += found.searchedBytes;
    for (const form of found.forms) hits.push({ place: path.relative(folder, file), form });
  }
  return { hits, searchedBytes };
}

async function searchFile(
  file: string,
  needles: readonly Needle[],
): Promise<{ readonly forms: ReadonlySet<string>; readonly searchedBytes: number }> {
  const forms = new Set<string>();
  const overlap = Math.max(...needles.map(({ bytes }) => bytes.length)) - 1;
  let rest: Buffer = Buffer.alloc(0);
  let searchedBytes = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 4 << 20 })) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    searchedBytes += (chunk as Buffer).length;
    for (const form of findNeedles(bytes, needles)) forms.add(form);
    rest = bytes.subarray(Math.max(0, bytes.length - overlap));
  }
  return { forms, searchedBytes };
}
