import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { encode } from "dns-packet";
import * as fc from "fast-check";
import {
  bare,
  brokenOff,
  type DnsTestZones,
  type Script,
  silent,
  startDnsServer,
  truncatedOverUdp,
} from "../../../test/helpers/customers/dns-server.ts";
import { createDnsClient, type QueryFailure } from "./client.ts";
import type { Reply } from "./message.ts";

const NAME = "www.example.test";
const HONEST = ["d1.example.net"];

describe("the DNS client, over real sockets", () => {
  const started: (() => void | Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of started.splice(0)) await stop();
  });

  async function start(content: Partial<DnsTestZones>) {
    const server = await startDnsServer({
      zones: ["example.test"],
      records: { [`${NAME} CNAME`]: HONEST },
      ...content,
    });
    const client = createDnsClient();
    started.push(
      () => client.close(),
      () => server.stop(),
    );
    const query = (timeoutMs = 2000, name = NAME): Promise<Reply | QueryFailure> =>
      client.query(
        server,
        { name, type: name === NAME ? "CNAME" : "TXT" },
        { recursionDesired: false, timeoutMs, deadlineAt: performance.now() + 4000 },
      );
    return { server, query };
  }

  async function ask(script: Script, timeoutMs?: number, content: Partial<DnsTestZones> = {}) {
    const { query } = await start({ scripts: { [NAME]: script }, ...content });
    return query(timeoutMs);
  }

  function valuesOf(reply: Reply | QueryFailure): readonly string[] | QueryFailure {
    return typeof reply === "string" ? reply : reply.answers.map(({ value }) => value);
  }

  it("asks again over TCP when the answer is truncated", async () => {
    const { server, query } = await start({ scripts: { [NAME]: truncatedOverUdp } });
    assert.deepEqual(valuesOf(await query()), HONEST);
    assert.deepEqual(server.heard, [`udp ${NAME} CNAME`, `tcp ${NAME} CNAME`]);
  });

  it("reports that TCP failed if the answer is truncated and TCP is refused", async () => {
    assert.equal(await ask(truncatedOverUdp, 2000, { udpOnly: true }), "tcp-failed");
  });

  it("reads an answer of almost 64 KB over TCP", async () => {
    const texts = Array.from({ length: 240 }, (_, index) => `${index} ${"x".repeat(230)}`);
    const { query } = await start({
      records: { "big.example.test TXT": texts },
      scripts: { "big.example.test": truncatedOverUdp },
    });
    assert.deepEqual(valuesOf(await query(2000, "big.example.test")), texts);
  });

  it("reports a TCP answer that claims 64 KB and stops in the middle as malformed or late", async () => {
    const script: Script = (heard, honest) =>
      heard.via === "udp" ? truncatedOverUdp(heard, honest) : [Buffer.alloc(65_535), Buffer.alloc(300_000)];
    assert.equal(await ask(script, 500), "malformed");
  });

  it("ignores replies with a wrong id and waits for the right one", async () => {
    const script: Script = (heard, honest) => [
      encode({ ...honest, id: heard.id ^ 1, answers: [{ name: NAME, type: "CNAME", data: "forged.test" }] }),
      encode(honest),
    ];
    assert.deepEqual(valuesOf(await ask(script)), HONEST);
  });

  it("ignores replies to another question and waits for the right one", async () => {
    const script: Script = (_heard, honest) => [
      encode({ ...honest, questions: [{ name: "other.test", type: "CNAME" }] }),
      encode(honest),
    ];
    assert.deepEqual(valuesOf(await ask(script)), HONEST);
  });

  it("reports a time-out if only forged ids arrive", async () => {
    assert.equal(await ask((heard, honest) => [encode({ ...honest, id: heard.id ^ 1 })], 30), "timeout");
  });

  it("reports a time-out if nothing arrives", async () => {
    assert.equal(await ask(silent, 30), "timeout");
  });

  it("reports a malformed answer", async () => {
    assert.equal(await ask(brokenOff), "malformed");
    const headless: Script = (heard) => [Buffer.from([heard.id >> 8, heard.id & 0xff, 0x80])];
    assert.equal(await ask(headless, 50), "malformed");
  });

  it("asks without EDNS when the server does not understand it", async () => {
    let times = 0;
    const script: Script = (_heard, honest) => {
      times += 1;
      return [encode(times === 1 ? { type: "response", id: honest.id, flags: 1 } : honest)];
    };
    assert.deepEqual(valuesOf(await ask(script)), HONEST);
  });

  it("distinguishes hundreds of concurrent questions", async () => {
    const names = Array.from({ length: 200 }, (_, index) => `n${index}.example.test`);
    const { query } = await start({
      records: Object.fromEntries(names.map((name) => [`${name} TXT`, [`text of ${name}`]])),
    });
    const replies = await Promise.all(names.map((name) => query(2000, name)));
    assert.deepEqual(
      replies.map(valuesOf),
      names.map((name) => [`text of ${name}`]),
    );
  });

  it("never fails on arbitrary bytes after a valid id, over UDP and TCP", async () => {
    let junk = Buffer.alloc(0);
    const script: Script = (heard, honest) => {
      if (heard.via === "udp" && junk.length % 3 === 0) return truncatedOverUdp(heard, honest);
      const head = encode(bare(honest));
      return [
        junk.length % 2 === 0 ? Buffer.concat([head.subarray(0, 2), junk]) : Buffer.concat([head, junk]),
      ];
    };
    const { query } = await start({ scripts: { [NAME]: script } });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        junk = Buffer.from(bytes);
        const reply = await query(4);
        assert.ok(typeof reply === "string" || Array.isArray(reply.answers));
      }),
      { numRuns: 60, seed: 3 },
    );
  });
});
