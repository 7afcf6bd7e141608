import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMessageBatches } from "./batches.ts";

const STARTUP = Buffer.from("\0\0\0\u0009\0\u0003\0\0\0", "latin1");

function message(type: string, text: string): Buffer {
  const bytes = Buffer.alloc(5 + text.length);
  bytes.write(type, "latin1");
  bytes.writeUInt32BE(4 + text.length, 1);
  bytes.write(text, 5, "latin1");
  return bytes;
}

const STATEMENT = Buffer.concat([message("P", "parse"), message("B", "S Q X"), message("S", "")]);
const QUERY = message("Q", "x".repeat(5_000));
const TERMINATE = message("X", "");

describe("batches of messages", () => {
  const expected = [STARTUP, STATEMENT, QUERY, STATEMENT, TERMINATE];
  const sent = Buffer.concat(expected);

  for (const bytes of [1, 2, 3, 7, 4_096, sent.length]) {
    it(`are the same if ${bytes} bytes arrive at a time`, () => {
      const take = createMessageBatches();
      const batches: Buffer[] = [];
      for (let at = 0; at < sent.length; at += bytes) batches.push(...take(sent.subarray(at, at + bytes)));
      assert.deepEqual(batches, expected);
    });
  }

  it("are not taken apart before their Sync", () => {
    const take = createMessageBatches();
    take(STARTUP);
    assert.deepEqual(take(message("P", "parse")), []);
    assert.deepEqual(take(message("S", "")), [Buffer.concat([message("P", "parse"), message("S", "")])]);
  });
});
