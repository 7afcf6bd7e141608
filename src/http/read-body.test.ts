import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { AppError } from "../errors.ts";
import { readBody } from "./read-body.ts";

describe("reading a body", () => {
  const sent = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text));
  const isZero = (chunk: Buffer) => chunk.every((byte) => byte === 0);
  const refusedWith = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

  it("leaves nothing in the pieces that it came in", async () => {
    const chunks = sent("the first ", "and the second");
    const body = await readBody(Readable.from(chunks), 100, null);
    assert.equal(body.toString(), "the first and the second");
    assert.ok(chunks.every(isZero));
  });

  it("takes an empty one", async () => {
    assert.equal((await readBody(Readable.from([]), 100, 0)).length, 0);
  });

  it("takes one of exactly the limit, and refuses one byte more, leaving nothing of what was kept", async () => {
    assert.equal((await readBody(Readable.from(sent("12345", "67890")), 10, null)).length, 10);
    const chunks = sent("12345", "678901");
    await assert.rejects(readBody(Readable.from(chunks), 10, null), refusedWith("BODY_TOO_LARGE"));
    assert.ok(isZero(chunks[0] ?? Buffer.from("none")));
  });

  it("refuses one that is said to be too long without reading it", async () => {
    const payload = Readable.from(sent("12345"));
    await assert.rejects(readBody(payload, 4, 5), refusedWith("BODY_TOO_LARGE"));
    assert.equal(payload.readableDidRead, false);
  });

  it("refuses one that is not as long as was said, or breaks off, leaving nothing", async () => {
    const short = sent("12345");
    await assert.rejects(readBody(Readable.from(short), 10, 6), refusedWith("INVALID_REQUEST"));
    assert.ok(short.every(isZero));
    const broken = sent("12345");
    const payload = new Readable({
      read() {
        this.push(broken[0]);
        this.destroy(new Error("reset"));
      },
    });
    await assert.rejects(readBody(payload, 10, null), refusedWith("INVALID_REQUEST"));
  });
});
