import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { type DnsTestZones, silent, startDnsServer } from "../../../test/helpers/customers/dns-server.ts";
import { createDnsThread, type DnsThread } from "./thread.ts";
import type { ExpectedRecord } from "../dns.ts";

/** A resolver's answer counts where the zone's own servers cannot be found. */
const RECORD: ExpectedRecord = { type: "CNAME", name: "www.example.com", value: "d1.example.net" };

describe("a DNS client in its own thread", () => {
  const started: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of started.splice(0).toReversed()) await stop();
  });

  async function connect(content: Partial<DnsTestZones>): Promise<DnsThread> {
    const server = await startDnsServer({ zones: [""], records: {}, ...content });
    started.push(() => server.stop());
    const dns = createDnsThread({
      servers: [{ host: server.host, port: server.port }],
      timeoutMs: content.scripts === undefined ? 2_000 : 300,
    });
    started.push(() => dns.close());
    return dns;
  }

  it("answers each of many questions with its own answer", async () => {
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    const dns = await connect({
      records: Object.fromEntries(
        numbers.map((number) => [`n${number}.example.com CNAME`, [`d${number % 2}.example.net`]]),
      ),
    });
    const checks = await Promise.all(
      numbers.map((number) =>
        dns.check({ ...RECORD, name: `n${number}.example.com`, value: "d1.example.net" }),
      ),
    );
    assert.deepEqual(
      checks.map(({ error }) => error?.code ?? "OK"),
      numbers.map((number) => (number % 2 === 1 ? "OK" : "WRONG_VALUE")),
    );
  });

  it("finds the CAA records that refuse", async () => {
    const dns = await connect({ records: { "example.com CAA": ['0 issue "other.example"'] } });
    const ask = (issuer: string) =>
      dns.findCaaRefusal("www.example.com", { issuers: [issuer], needsCname: true });
    const refusal = await ask("amazon.com");
    assert.deepEqual([refusal?.at, refusal?.found], ["example.com", ['0 issue "other.example"']]);
    assert.equal(await ask("other.example"), null);
  });

  it("finds who serves a name", async () => {
    const dns = await connect({
      zones: ["example.com"],
      records: { "example.com NS": ["ns1.example.com"] },
    });
    assert.deepEqual(await dns.findDelegation("www.example.com"), {
      zone: "example.com",
      nameServers: ["ns1.example.com"],
    });
  });

  it("finds the wildcard that a record would end", async () => {
    const dns = await connect({
      zones: ["example.com"],
      records: { "example.com NS": ["ns1.example.com"], "*.example.com A": ["192.0.2.10"] },
    });
    assert.deepEqual(await dns.findEndedWildcard("_x.www.example.com"), {
      at: "*.example.com",
      names: ["www.example.com"],
      answer: "A 192.0.2.10",
    });
    assert.equal(await dns.findEndedWildcard("www.example.com"), null);
  });

  it("finds the texts at a name", async () => {
    const dns = await connect({
      records: {
        "_info.example.com CNAME": ["texts.example.net"],
        "texts.example.net TXT": ["one text", "another"],
      },
    });
    const texts = await dns.findTexts("_info.example.com");
    assert.deepEqual(texts?.toSorted(), ["another", "one text"]);
    assert.deepEqual(await dns.findTexts("_none.example.com"), []);
  });

  it("lets running checks end before it closes, and refuses new ones", async () => {
    const dns = await connect({ scripts: { "*": silent } });
    const check = dns.check(RECORD, { isQuick: true });
    await dns.close();
    assert.equal((await check).error?.code, "TIMEOUT");
    await assert.rejects(dns.check(RECORD), { message: "The DNS client is closed." });
  });

  it("rejects a call that fails because of a bug, and answers the next", async () => {
    const dns = await connect({ records: { "www.example.com CNAME": ["d1.example.net"] } });
    const broken = { ...RECORD, name: null as unknown as string };
    await assert.rejects(dns.check(broken), /null/);
    assert.equal((await dns.check(RECORD)).error, null);
  });

  it("reports the end of its thread to each call", async () => {
    const dns = createDnsThread({ servers: [{ host: "no-address", port: 53 }] });
    for (const _ of [1, 2]) {
      await assert.rejects(dns.check(RECORD), {
        message: 'The DNS server "no-address" is not an IP address.',
      });
    }
    await dns.close();
  });

  it("reports its heap usage from the first check to the end", async () => {
    const dns = await connect({ records: { "www.example.com CNAME": ["d1.example.net"] } });
    assert.equal(await dns.heapUsedBytes(), 0);
    await dns.check(RECORD);
    const held = await dns.heapUsedBytes();
    assert.ok(held > 1_000_000, String(held));
    const [atTheEnd] = await Promise.all([dns.heapUsedBytes(), dns.close()]);
    assert.ok(atTheEnd >= 0);
    assert.equal(await dns.heapUsedBytes(), 0);
  });

  it("closes even if it was never used", async () => {
    await connect({});
  });
});
