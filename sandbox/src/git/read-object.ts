/**
 * Reads one object of a repository on disk, loose or packed (git's `gitformat-loose` and `gitformat-pack`). Anyone who
 * can push chooses sizes: a megabyte inflates to a gigabyte, and deltas copy a small base thousands of times. So a size
 * is checked in the object's header before anything is inflated, and again while it is inflated.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import * as fs from "node:fs/promises";
import path from "node:path";
import { createInflate } from "node:zlib";

export type ObjectType = "commit" | "tree" | "blob" | "tag";

export type GitObject = { readonly type: ObjectType; readonly bytes: Buffer };

/** The object is there and has, or needs, more bytes than the limit. */
export class ObjectTooLarge extends Error {
  override readonly name = "ObjectTooLarge";
  readonly bytes: number;
  constructor(bytes: number) {
    super(`The object needs ${bytes} bytes.`);
    this.bytes = bytes;
  }
}

/** The object is there and cannot be read. */
export class ObjectDamaged extends Error {
  override readonly name = "ObjectDamaged";
}

/** `git repack` makes chains of at most 50 deltas, and older versions of `git gc --aggressive` 250. */
const DELTAS_MAX = 250;

const OID_BYTES = 20;
/** git answers for the empty tree without storing it. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** @returns null when there is no such object. @throws ObjectTooLarge, ObjectDamaged; errors of the system */
export async function readObject(gitdir: string, oid: string, maxBytes: number): Promise<GitObject | null> {
  if (oid === EMPTY_TREE) return { type: "tree", bytes: Buffer.alloc(0) };
  const found = (await readLoose(gitdir, oid, maxBytes)) ?? (await readPacked(gitdir, oid, maxBytes));
  if (found === null) return null;
  const hash = createHash("sha1").update(`${found.type} ${found.bytes.length}\0`).update(found.bytes);
  if (hash.digest("hex") !== oid) throw new ObjectDamaged("The content is not what the object id says.");
  return found;
}

/** Whether the repository has an object of this name, unread. */
export async function hasObject(gitdir: string, oid: string): Promise<boolean> {
  return (
    oid === EMPTY_TREE || (await exists(looseFile(gitdir, oid))) || (await findPacked(gitdir, oid)) !== null
  );
}

function looseFile(gitdir: string, oid: string): string {
  return path.join(gitdir, "objects", oid.slice(0, 2), oid.slice(2));
}

/** Much longer than the header of a loose object: a type, a size and a NUL. */
const LOOSE_HEADER_BYTES = 64;

async function readLoose(gitdir: string, oid: string, maxBytes: number): Promise<GitObject | null> {
  const file = looseFile(gitdir, oid);
  if (!(await exists(file))) return null;
  let header: { readonly type: ObjectType; readonly size: number; readonly end: number } | undefined;
  const whole = await inflateFile(file, 0, (begun) => {
    if (header === undefined) {
      const found = /^(commit|tree|blob|tag) (\d{1,15})\0/.exec(
        begun.toString("latin1", 0, LOOSE_HEADER_BYTES),
      );
      if (found === null) {
        if (begun.length >= LOOSE_HEADER_BYTES) throw new ObjectDamaged("The object has no header.");
        return Number.POSITIVE_INFINITY;
      }
      header = { type: found[1] as ObjectType, size: Number(found[2]), end: found[0].length };
      refuseAbove(maxBytes, header.size);
    }
    return header.end + header.size;
  });
  if (header === undefined) throw new ObjectDamaged("The object has no header.");
  return { type: header.type, bytes: whole.subarray(header.end) };
}

type Place = { readonly pack: string; readonly offset: number };

async function readPacked(gitdir: string, oid: string, maxBytes: number): Promise<GitObject | null> {
  const place = await findPacked(gitdir, oid);
  if (place === null) return null;
  const deltas: Buffer[] = [];
  for (let at = place; ;) {
    const entry = await readEntryHead(at);
    refuseAbove(maxBytes, entry.size);
    const bytes = await inflateFile(at.pack, entry.contentAt, () => entry.size);
    if (entry.kind === "whole") return { type: entry.type, bytes: applyDeltas(bytes, deltas) };
    if (deltas.length === DELTAS_MAX) {
      throw new ObjectDamaged(`The object has a chain of more than ${DELTAS_MAX} deltas.`);
    }
    // Both sizes are in the first bytes of a delta: a base that is too large is never inflated.
    const { baseSize, size } = readDeltaSizes(bytes);
    refuseAbove(maxBytes, Math.max(baseSize, size));
    deltas.push(bytes);
    // All deltas of a chain are held at once.
    refuseAbove(
      maxBytes,
      deltas.reduce((sum, delta) => sum + delta.length, 0),
    );
    const base =
      entry.kind === "ofs-delta" ? { ...at, offset: entry.baseAt } : await findPacked(gitdir, entry.baseOid);
    if (base === null) throw new ObjectDamaged("The base of a delta is missing.");
    at = base;
  }
}

type EntryHead = { readonly size: number; readonly contentAt: number } & (
  | { readonly kind: "whole"; readonly type: ObjectType }
  | { readonly kind: "ofs-delta"; readonly baseAt: number }
  | { readonly kind: "ref-delta"; readonly baseOid: string }
);

const TYPES: Readonly<Record<number, ObjectType>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const OFS_DELTA = 6;
const REF_DELTA = 7;
/** Two numbers of at most ten bytes, or one and an object id. */
const ENTRY_HEAD_BYTES = 32;

async function readEntryHead({ pack, offset }: Place): Promise<EntryHead> {
  const head = await withFile(pack, (file) => readAt(file, offset, ENTRY_HEAD_BYTES));
  const first = byteOf(head, 0);
  const kind = (first >> 4) & 7;
  let at = 1;
  // Four bits, then seven in each byte, the lowest first. Multiplied, because a size may have more than 32 bits.
  let size = first & 15;
  for (let byte = first, unit = 16; byte & 128; unit *= 128) {
    byte = byteOf(head, at++);
    size += (byte & 127) * unit;
  }
  const type = TYPES[kind];
  if (type !== undefined) return { kind: "whole", type, size, contentAt: offset + at };
  if (kind === OFS_DELTA) {
    let back = 0;
    for (let byte = 128, isFirst = true; byte & 128; isFirst = false) {
      byte = byteOf(head, at++);
      back = (isFirst ? 0 : back + 1) * 128 + (byte & 127);
    }
    // A base lies before its deltas, so a chain ends.
    if (back <= 0 || back > offset) throw new ObjectDamaged("A delta has no base in its pack.");
    return { kind: "ofs-delta", baseAt: offset - back, size, contentAt: offset + at };
  }
  if (kind !== REF_DELTA || head.length < at + OID_BYTES) throw new ObjectDamaged("A pack is damaged.");
  const baseOid = head.toString("hex", at, at + OID_BYTES);
  return { kind: "ref-delta", baseOid, size, contentAt: offset + at + OID_BYTES };
}

async function findPacked(gitdir: string, oid: string): Promise<Place | null> {
  const folder = path.join(gitdir, "objects", "pack");
  if (!(await exists(folder))) return null;
  for (const name of await fs.readdir(folder)) {
    if (!name.endsWith(".idx")) continue;
    const index = path.join(folder, name);
    const offset = await withFile(index, (file) => findInIndex(file, oid));
    if (offset !== null) return { pack: index.replace(/idx$/, "pack"), offset };
  }
  return null;
}

const INDEX_MAGIC = "ff744f6300000002";
const FANOUT_AT = 8;
const OIDS_AT = FANOUT_AT + 256 * 4;

/** The offset of an object, by an index of version 2: 256 counts, then ids, checksums and offsets, each sorted by id. */
async function findInIndex(file: fs.FileHandle, oid: string): Promise<number | null> {
  const head = await readAt(file, 0, OIDS_AT);
  if (head.length < OIDS_AT || head.toString("hex", 0, FANOUT_AT) !== INDEX_MAGIC) {
    throw new ObjectDamaged("The index of a pack is damaged, or has another version than 2.");
  }
  const id = Buffer.from(oid, "hex");
  const countTo = (byte: number) => (byte < 0 ? 0 : head.readUInt32BE(FANOUT_AT + byte * 4));
  const total = countTo(255);
  const firstByte = byteOf(id, 0);
  let low = countTo(firstByte - 1);
  let high = countTo(firstByte);
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    const order = id.compare(await readAt(file, OIDS_AT + middle * OID_BYTES, OID_BYTES));
    if (order === 0) return await readOffset(file, total, middle);
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return null;
}

const HIGHEST_BIT = 2 ** 31;

async function readOffset(file: fs.FileHandle, total: number, index: number): Promise<number> {
  const offsetsAt = OIDS_AT + total * (OID_BYTES + 4);
  const offset = await readAt(file, offsetsAt + index * 4, 4);
  if (offset.length < 4) throw new ObjectDamaged("The index of a pack is damaged.");
  const found = offset.readUInt32BE();
  if (found < HIGHEST_BIT) return found;
  // Offsets from 2 GiB are in a table of their own.
  const far = await readAt(file, offsetsAt + total * 4 + (found - HIGHEST_BIT) * 8, 8);
  if (far.length < 8) throw new ObjectDamaged("The index of a pack is damaged.");
  return Number(far.readBigUInt64BE());
}

/**
 * Inflates from a place in a file to the end of the compressed stream. @param sizeOf how many bytes there should be, as
 * far as the first bytes show: reading stops as soon as there are more
 */
async function inflateFile(file: string, start: number, sizeOf: (begun: Buffer) => number): Promise<Buffer> {
  const source = createReadStream(file, { start });
  const inflate = createInflate();
  source.on("error", (error) => inflate.destroy(error));
  const blocks: Buffer[] = [];
  let bytes = 0;
  let size = Number.POSITIVE_INFINITY;
  try {
    for await (const block of source.pipe(inflate) as AsyncIterable<Buffer>) {
      blocks.push(block);
      bytes += block.length;
      if (size === Number.POSITIVE_INFINITY) size = sizeOf(Buffer.concat(blocks));
      if (bytes > size) throw new ObjectDamaged("The object is larger than its header says.");
    }
  } catch (error) {
    const isZlibs = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw isZlibs ? new ObjectDamaged(error.message) : error;
  } finally {
    source.destroy();
    inflate.destroy();
  }
  if (bytes !== (size === Number.POSITIVE_INFINITY ? sizeOf(Buffer.alloc(0)) : size)) {
    throw new ObjectDamaged("The object is smaller than its header says.");
  }
  return Buffer.concat(blocks);
}

/** The numbers at the begin of a delta: seven bits in each byte, the lowest first. */
function readDeltaSizes(delta: Buffer): {
  readonly baseSize: number;
  readonly size: number;
  readonly at: number;
} {
  let at = 0;
  const next = () => {
    let value = 0;
    for (let byte = 128, unit = 1; byte & 128; unit *= 128) {
      byte = byteOf(delta, at++);
      value += (byte & 127) * unit;
    }
    return value;
  };
  return { baseSize: next(), size: next(), at };
}

/** @param deltas the last one applies to the base, and the first one makes the object */
function applyDeltas(base: Buffer, deltas: readonly Buffer[]): Buffer {
  return deltas.reduceRight((source, delta) => applyDelta(source, delta), base);
}

function applyDelta(base: Buffer, delta: Buffer): Buffer {
  const { baseSize, size, at: begin } = readDeltaSizes(delta);
  if (base.length !== baseSize) throw new ObjectDamaged("A delta is not of its base.");
  const made = Buffer.alloc(size);
  let to = 0;
  const put = (from: Buffer, start: number, count: number): void => {
    if (count === 0 || start + count > from.length || to + count > size) {
      throw new ObjectDamaged("A delta copies from or to a place that is not there.");
    }
    from.copy(made, to, start, start + count);
    to += count;
  };
  for (let at = begin; at < delta.length;) {
    const command = byteOf(delta, at++);
    if ((command & 128) === 0) {
      put(delta, at, command);
      at += command;
      continue;
    }
    // Bits 0 to 3 say which bytes of the place follow, and bits 4 to 6 which of the count.
    const part = (bit: number) => ((command >> bit) & 1 ? byteOf(delta, at++) : 0);
    const start = part(0) + part(1) * 2 ** 8 + part(2) * 2 ** 16 + part(3) * 2 ** 24;
    const count = part(4) + part(5) * 2 ** 8 + part(6) * 2 ** 16;
    put(base, start, count === 0 ? 2 ** 16 : count);
  }
  if (to !== size) throw new ObjectDamaged("A delta makes less than it says.");
  return made;
}

function refuseAbove(maxBytes: number, bytes: number): void {
  if (bytes > maxBytes) throw new ObjectTooLarge(bytes);
}

function byteOf(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte === undefined) throw new ObjectDamaged("The object ends too early.");
  return byte;
}

async function readAt(file: fs.FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function withFile<T>(name: string, use: (file: fs.FileHandle) => Promise<T>): Promise<T> {
  const file = await fs.open(name);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function exists(name: string): Promise<boolean> {
  return await fs.access(name).then(
    () => true,
    () => false,
  );
}
