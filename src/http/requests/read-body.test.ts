import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { describe, it } from "node:test";
import { AppError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import { joinBlocks, readBlocks } from "./read-body.ts";

async function readBody(
  payload: Readable,
  maxBytes: number,
  declaredLength: number | null,
  more: { take?: (bytes: number) => void; givenUp?: AbortSignal } = {},
): Promise<Buffer> {
  const share = { take: more.take ?? (() => undefined) };
  const { givenUp = new AbortController().signal } = more;
  return joinBlocks((await readBlocks(payload, { maxBytes, declaredLength, share, givenUp })).blocks);
}

describe("reading a body", () => {
  const sent = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text));
  const isZero = (chunk: Buffer) => chunk.every((byte) => byte === 0);
  const refusedWith = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

  it("clears the pieces it was received in", async () => {
    const chunks = sent("the first ", "and the second");
    const body = await readBody(Readable.from(chunks), 100, null);
    assert.equal(body.toString(), "the first and the second");
    assert.ok(chunks.every(isZero));
  });

  it("accepts an empty one", async () => {
    assert.equal((await readBody(Readable.from([]), 100, 0)).length, 0);
  });

  it("accepts exactly the limit, and refuses one byte more and clears what was kept", async () => {
    assert.equal((await readBody(Readable.from(sent("12345", "67890")), 10, null)).length, 10);
    const chunks = sent("12345", "678901");
    await assert.rejects(readBody(Readable.from(chunks), 10, null), refusedWith("BODY_TOO_LARGE"));
    assert.ok(isZero(chunks[0] ?? Buffer.from("none")));
  });

  it("refuses one whose announced length is too large, without reading it", async () => {
    const payload = Readable.from(sent("12345"));
    await assert.rejects(readBody(payload, 4, 5), refusedWith("BODY_TOO_LARGE"));
    assert.equal(payload.readableDidRead, false);
  });

  it("cuts a body that is too large if its caller asked for the beginning, and clears the rest", async () => {
    const share = { take: () => undefined };
    const givenUp = new AbortController().signal;
    for (const [declaredLength, kept] of [
      [16, "1234"],
      [null, "1234567890"],
    ] as const) {
      const chunks = sent("123", "45678", "9012", "3456");
      const payload = Readable.from(chunks);
      const body = await readBlocks(payload, { maxBytes: 10, cutAt: 4, declaredLength, share, givenUp });
      assert.equal(body.isCut, true);
      assert.equal(joinBlocks(body.blocks).toString(), kept);
      await finished(payload);
      assert.ok(chunks.every(isZero));
    }
    const payload = Readable.from(sent("12345"));
    const body = await readBlocks(payload, { maxBytes: 10, cutAt: 4, declaredLength: 5, share, givenUp });
    assert.equal(body.isCut, false);
  });

  it("refuses one with a wrong length or that breaks off, and clears it", async () => {
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

  it("joins pieces of any size, and charges only what it keeps", async () => {
    for (const size of [1, 4_095, 4_096, 4_097, 65_536, 70_000, 300_000]) {
      const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
      for (const step of [1_000, 65_536]) {
        for (const declared of [size, null]) {
          const pieces = Array.from({ length: Math.ceil(size / step) }, (_, index) =>
            Buffer.from(bytes.subarray(index * step, (index + 1) * step)),
          );
          let paid = 0;
          const body = await readBody(Readable.from(pieces), 300_000, declared, {
            take: (more) => (paid += more),
          });
          assert.ok(body.equals(bytes), `${size} bytes in pieces of ${step}`);
          assert.ok(paid >= size && paid <= (declared ?? Math.max(size + 65_536)), `${size}: paid ${paid}`);
        }
      }
    }
  });

  it("S4: keeps one-byte pieces as bytes", async () => {
    let paid = 0;
    const pieces = Array.from({ length: 10_000 }, () => Buffer.from("x"));
    await readBody(Readable.from(pieces), 1_048_576, null, { take: (more) => (paid += more) });
    assert.equal(paid, 4_096 + 65_536);
  });

  it("ends when there is no more room or it is given up, and clears it", async () => {
    const refusal = new AppError(HTTP_ERRORS.OVERLOADED, "no room");
    const chunks = sent("12345", "67890");
    const take = () => {
      throw refusal;
    };
    await assert.rejects(readBody(Readable.from(chunks), 100, null, { take }), refusedWith("OVERLOADED"));
    assert.ok(isZero(chunks[0] ?? Buffer.from("none")));
    const stop = new AbortController();
    const slow = new Readable({ read: () => undefined });
    const reading = readBody(slow, 100, null, { givenUp: stop.signal });
    stop.abort(refusal);
    await assert.rejects(reading, refusedWith("OVERLOADED"));
  });
});
