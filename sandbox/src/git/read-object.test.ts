import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { deflateSync } from "node:zlib";
import { HAS_GIT } from "../../../test/helpers/customers/git-push.ts";
import { ObjectDamaged, ObjectTooLarge, readObject } from "./read-object.ts";

const MIB = 1024 ** 2;
const LIMIT = 8 * MIB;

async function newRepository(t: TestContext): Promise<string> {
  const gitdir = await mkdtemp(path.join(tmpdir(), "slipway-objects-"));
  t.after(() => rm(gitdir, { recursive: true, force: true }));
  runGit(gitdir, ["init", "--quiet", "--bare", "."]);
  return gitdir;
}

const IDENTITY = ["-c", "user.name=A", "-c", "user.email=a@example.com"];

function runGit(gitdir: string, args: readonly string[], input: string | Uint8Array = ""): Buffer {
  return execFileSync("git", [...IDENTITY, ...args], {
    cwd: gitdir,
    input,
    maxBuffer: 64 * MIB,
    stdio: ["pipe", "pipe", "ignore"],
  });
}

const writeBlob = (gitdir: string, content: string | Uint8Array) =>
  runGit(gitdir, ["hash-object", "-w", "--stdin"], content).toString().trim();

/** A tree with one file, so that `git repack` keeps it. */
function commit(gitdir: string, blob: string): void {
  const tree = runGit(gitdir, ["mktree"], `100644 blob ${blob}\tfile\n`).toString().trim();
  const made = runGit(gitdir, ["commit-tree", tree, "-m", "m"]).toString().trim();
  runGit(gitdir, ["update-ref", `refs/heads/${blob}`, made]);
}

type Entry = {
  readonly oid: string;
  readonly kind: 3 | 7;
  /** The size that the header says. */
  readonly size: number;
  readonly base?: string;
  readonly content: Uint8Array;
};

/** A pack and its index, as git's own tools would not make them. */
function writePack(gitdir: string, entries: readonly Entry[]): void {
  const parts: Buffer[] = [Buffer.from("PACK\0\0\0\x02\0\0\0\0", "latin1")];
  const offsets = new Map<string, number>();
  let at = 12;
  for (const { oid, kind, size, base, content } of entries) {
    offsets.set(oid, at);
    const part = Buffer.concat([
      Buffer.from(varInt(size, (kind << 4) | Number(BigInt(size) & 15n))),
      Buffer.from(base ?? "", "hex"),
      deflateSync(content),
    ]);
    parts.push(part);
    at += part.length;
  }
  const oids = [...offsets.keys()].sort();
  const index = Buffer.alloc(8 + 1024 + oids.length * 28);
  index.write("ff744f6300000002", 0, "hex");
  for (let byte = 0; byte < 256; byte += 1) {
    const upTo = oids.filter((oid) => Number.parseInt(oid.slice(0, 2), 16) <= byte).length;
    index.writeUInt32BE(upTo, 8 + byte * 4);
  }
  for (const [number, oid] of oids.entries()) {
    index.write(oid, 1032 + number * 20, "hex");
    index.writeUInt32BE(offsets.get(oid) ?? 0, 1032 + oids.length * 24 + number * 4);
  }
  const folder = path.join(gitdir, "objects", "pack");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "pack-hostile.pack"), Buffer.concat(parts));
  writeFileSync(path.join(folder, "pack-hostile.idx"), index);
}

/** The first byte has four bits of the size (an entry's head), or seven (a delta's sizes). */
function varInt(size: number, first?: number): number[] {
  const bytes: number[] = [];
  let rest = size;
  if (first !== undefined) {
    rest = Math.floor(size / 16);
    bytes.push(rest > 0 ? first | 128 : first);
  }
  while (first === undefined ? bytes.length === 0 || rest > 0 : rest > 0) {
    const byte = rest % 128;
    rest = Math.floor(rest / 128);
    bytes.push(rest > 0 ? byte | 128 : byte);
  }
  return bytes;
}

/** Copies 64 KiB of the base, with three bytes. */
const COPY_64_KIB = [0b1100_0000, 1];

const A = "aa".repeat(20);
const B = "bb".repeat(20);

describe("an object of a repository", { skip: !HAS_GIT && "needs git" }, () => {
  it("is read as git reads it, loose and packed with deltas", async (t) => {
    const gitdir = await newRepository(t);
    let text = "";
    for (let line = 0; line < 3_000; line += 1) text += `${line} ${Math.sin(line)}\n`;
    // Each version is a delta of another, so they form a chain.
    const versions = 30;
    let history = "";
    for (let version = 1; version <= versions; version += 1) {
      text = text.replace(`\n${version} `, `\nchanged ${version} `);
      history += `commit refs/heads/main\ncommitter A <a@example.com> ${version} +0000\ndata 1\nm\n`;
      history += `M 100644 inline file\ndata ${text.length}\n${text}\n`;
    }
    runGit(gitdir, ["fast-import", "--quiet"], history);
    const oids = runGit(gitdir, [
      "cat-file",
      "--batch-check=%(objectname)",
      "--batch-all-objects",
    ]).toString();
    const expected = runGit(gitdir, ["cat-file", "--batch"], oids);
    const check = async () => {
      const read: Buffer[] = [];
      for (const oid of oids.trim().split("\n")) {
        const found = await readObject(gitdir, oid, LIMIT);
        assert.ok(found);
        read.push(
          Buffer.from(`${oid} ${found.type} ${found.bytes.length}\n`),
          found.bytes,
          Buffer.from("\n"),
        );
      }
      assert.equal(read.length, 3 * 3 * versions);
      assert.ok(Buffer.concat(read).equals(expected));
    };
    for (const settings of [[], ["-c", "repack.usedeltabaseoffset=false"]]) {
      runGit(gitdir, [...settings, "repack", "-adfq", "--depth=50"]);
      await check();
    }
    const [pack = ""] = readdirSync(path.join(gitdir, "objects", "pack")).filter((one) =>
      one.endsWith(".pack"),
    );
    const packed = readFileSync(path.join(gitdir, "objects", "pack", pack));
    rmSync(path.join(gitdir, "objects", "pack"), { recursive: true });
    runGit(gitdir, ["unpack-objects", "-q"], packed);
    await check();
    assert.equal(await readObject(gitdir, "1".repeat(40), LIMIT), null);
  });

  it("that inflates beyond the limit is refused with its size, loose and packed", async (t) => {
    const gitdir = await newRepository(t);
    const oid = writeBlob(gitdir, Buffer.alloc(LIMIT + 1));
    const isRefused = (error: unknown) => error instanceof ObjectTooLarge && error.bytes === LIMIT + 1;
    await assert.rejects(readObject(gitdir, oid, LIMIT), isRefused);
    commit(gitdir, oid);
    runGit(gitdir, ["repack", "-adq"]);
    await assert.rejects(readObject(gitdir, oid, LIMIT), isRefused);
    assert.equal((await readObject(gitdir, oid, LIMIT + 1))?.bytes.length, LIMIT + 1);
  });

  it("that is larger than its header says is not inflated further", async (t) => {
    const gitdir = await newRepository(t);
    writePack(gitdir, [{ oid: A, kind: 3, size: 10, content: Buffer.alloc(128 * MIB) }]);
    const before = process.memoryUsage().arrayBuffers;
    await assert.rejects(readObject(gitdir, A, LIMIT), ObjectDamaged);
    assert.ok(process.memoryUsage().arrayBuffers - before < 32 * MIB);
  });

  it("that says gigabytes is refused by its header", async (t) => {
    const gitdir = await newRepository(t);
    writePack(gitdir, [{ oid: A, kind: 3, size: 10 * 1024 ** 3, content: Buffer.alloc(1_000) }]);
    const isRefused = (error: unknown) => error instanceof ObjectTooLarge && error.bytes === 10 * 1024 ** 3;
    await assert.rejects(readObject(gitdir, A, LIMIT), isRefused);
  });

  it("whose delta copies a small base until it is gigabytes is refused by the delta's header", async (t) => {
    const gitdir = await newRepository(t);
    const base = writeBlob(gitdir, Buffer.alloc(64 * 1024));
    const copies = 100_000;
    const delta = [...varInt(64 * 1024), ...varInt(copies * 64 * 1024)];
    for (let copy = 0; copy < copies; copy += 1) delta.push(...COPY_64_KIB);
    const content = Buffer.from(delta);
    writePack(gitdir, [{ oid: A, kind: 7, size: content.length, base, content }]);
    const isRefused = (error: unknown) =>
      error instanceof ObjectTooLarge && error.bytes === copies * 64 * 1024;
    await assert.rejects(readObject(gitdir, A, LIMIT), isRefused);
  });

  it("whose deltas lead in a circle, or lie, is refused", async (t) => {
    const gitdir = await newRepository(t);
    const delta = Buffer.from([...varInt(4), ...varInt(4), 4, 1, 2, 3, 4]);
    const circle = { kind: 7, size: delta.length, content: delta } as const;
    writePack(gitdir, [
      { ...circle, oid: A, base: B },
      { ...circle, oid: B, base: A },
    ]);
    await assert.rejects(readObject(gitdir, A, LIMIT), ObjectDamaged);

    const base = writeBlob(gitdir, "abcd");
    for (const [what, bytes] of [
      ["copies from beyond the base", [4, 4, 0b1001_0001, 1, 4]],
      ["makes more than it says", [4, 4, 5, 1, 2, 3, 4, 5]],
      ["makes less than it says", [4, 4, 1, 1]],
      ["has another base", [5, 4, 0b1001_0000, 4]],
      ["has an empty command", [4, 4, 0]],
      ["ends within a command", [4, 4, 0b1001_0001]],
      ["makes another object", [4, 4, 0b1001_0000, 4]],
    ] as const) {
      const content = Buffer.from(bytes);
      writePack(gitdir, [{ oid: A, kind: 7, size: content.length, base, content }]);
      await assert.rejects(readObject(gitdir, A, LIMIT), ObjectDamaged, what);
    }
  });
});
