import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encode } from "dns-packet";
import * as fc from "fast-check";
import { answersQuery, decodeReply, encodeQuery, isTruncated } from "./message.ts";

describe("decodeReply", () => {
  const valid = encode({
    type: "response",
    id: 7,
    questions: [{ name: "www.example.com", type: "CNAME" }],
    answers: [
      { name: "WWW.Example.COM", type: "CNAME", ttl: 60, data: "D1.Example.NET" },
      { name: "www.example.com", type: "TXT", data: ["one ", "two"] },
      { name: "www.example.com", type: "CAA", data: { flags: 128, tag: "issue", value: "amazon.com" } },
    ],
  });

  it("normalizes names, joins strings of a TXT and shows a CAA as in a zone file", () => {
    const records = decodeReply(valid)?.answers.map(({ name, value }) => `${name} ${value}`);
    assert.deepEqual(records, [
      "www.example.com d1.example.net",
      "www.example.com one two",
      'www.example.com 128 issue "amazon.com"',
    ]);
  });

  it("never throws, whatever bytes come", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        decodeReply(buffer);
        isTruncated(buffer);
        answersQuery(
          buffer,
          encodeQuery({ name: "a.test", type: "A" }, { recursionDesired: true, edns: true }),
        );
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it("never throws for a valid message with bytes changed or cut off", () => {
    const change = fc.tuple(fc.nat(valid.length - 1), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), fc.nat(valid.length), (changes, length) => {
        const bytes = Buffer.from(valid);
        for (const [offset, value] of changes) bytes[offset] = value;
        decodeReply(bytes.subarray(0, length));
      }),
      { numRuns: 3000, seed: 2 },
    );
  });

  it("refuses more records than any valid answer has, before reading them", () => {
    const bytes = Buffer.alloc(65_535);
    encode({ type: "response", id: 7, questions: [] }, bytes);
    bytes.writeUInt16BE(5000, 6);
    assert.equal(decodeReply(bytes), null);
  });
});

describe("answersQuery", () => {
  const query = encodeQuery({ name: "www.example.com", type: "A" }, { recursionDesired: false, edns: true });
  const reply = (name: string, type: "A" | "AAAA", flags = 0): Buffer =>
    encode({ type: "response", id: 0, flags, questions: [{ name, type }] });

  it("accepts the same question in another case", () => {
    assert.ok(answersQuery(reply("wWw.EXAMPLE.com", "A"), query));
  });
  it("refuses another name, another type and a query", () => {
    assert.ok(!answersQuery(reply("www.example.org", "A"), query));
    assert.ok(!answersQuery(reply("www.example.com", "AAAA"), query));
    assert.ok(!answersQuery(query.bytes, query));
  });
  it("accepts a missing question only with an error", () => {
    assert.ok(answersQuery(encode({ type: "response", id: 0, flags: 1 }), query));
    assert.ok(!answersQuery(encode({ type: "response", id: 0, flags: 0 }), query));
  });
});
