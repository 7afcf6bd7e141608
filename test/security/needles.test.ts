import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import { makeTempDir } from "../helpers/template.ts";
import { createCanaries, findNeedles, needlesOf, searchFolder } from "./needles.ts";

describe("the search for secrets", () => {
  const canaries = createCanaries();
  const needles = canaries.texts.flatMap(needlesOf);
  const value = canaries.make("planted");
  const bytes = Buffer.from(value);
  let folder: string;
  before(async () => {
    folder = await makeTempDir("needles");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const planted: Record<string, Buffer> = {
    plain: bytes,
    JSON: Buffer.from(JSON.stringify({ value })),
    "JSON in a JSON string": Buffer.from(JSON.stringify({ body: JSON.stringify({ value }) })),
    hex: Buffer.from(bytes.toString("hex")),
    "upper-case hex": Buffer.from(bytes.toString("hex").toUpperCase()),
    "a URL": Buffer.from(`/?value=${encodeURIComponent(value)}`),
    "a form": Buffer.from(new URLSearchParams({ value }).toString()),
    gzip: gzipSync(JSON.stringify({ value })),
    "gzip that is cut off, of what grows": gzipSync(Buffer.concat([bytes, randomBytes(5_000)])).subarray(
      0,
      3_000,
    ),
    zlib: deflateSync(bytes, { level: 9 }),
    "UTF-16LE": Buffer.from(value, "utf16le"),
    "UTF-16BE": Buffer.from(value, "utf16le").swap16(),
  };
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.from("x".repeat(offset)), bytes]);
    planted[`base64 at offset ${offset}`] = Buffer.from(shifted.toString("base64"));
    planted[`base64url at offset ${offset}`] = Buffer.from(shifted.toString("base64url"));
  }
  for (const [form, content] of Object.entries(planted)) {
    it(`finds a value that was planted as ${form}`, () => {
      assert.ok(findNeedles(Buffer.concat([Buffer.alloc(1_000, 7), content]), needles).length > 0);
    });
  }

  it("finds half a value", () => {
    assert.ok(findNeedles(bytes.subarray(0, bytes.length / 2 + 4), needles).length > 0);
  });

  it("finds what is split between two chunks of a large file, and nothing in an excluded folder", async () => {
    await mkdir(path.join(folder, "deep/left-out"), { recursive: true });
    const border = 4 << 20;
    await writeFile(path.join(folder, "deep/large"), Buffer.concat([Buffer.alloc(border - 30, 1), bytes]));
    await writeFile(path.join(folder, "deep/left-out/secret"), bytes);
    const { hits, searchedBytes } = await searchFolder(folder, needles, ["deep/left-out"]);
    assert.deepEqual([...new Set(hits.map(({ place }) => place))], ["deep/large"]);
    assert.equal(searchedBytes, border - 30 + bytes.length);
  });

  it("finds nothing in other values", () => {
    const others = createCanaries();
    assert.deepEqual(findNeedles(Buffer.from(others.make("other")), needles), []);
  });
});
