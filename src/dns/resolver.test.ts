import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { afterEach, describe, it } from "node:test";
import * as fc from "fast-check";
import { encode } from "dns-packet";
import {
  bare,
  brokenOff,
  type DnsTestServer,
  type DnsTestZones,
  type Script,
  silent,
  startDnsServer,
  truncatedOverUdp,
  withRcode,
} from "../../test/helpers/customers/dns-server.ts";
import type { Dns, ExpectedRecord, PropagationErrorCode, RecordCheck } from "./dns.ts";
import { createDns, type DnsOptions } from "./resolver.ts";

const NAME = "_x.www.example.com";
const TARGET = "_y.validations.test";
const RECORD: ExpectedRecord = { type: "CNAME", name: NAME, value: TARGET };
const ZONE = {
  "example.com NS": ["ns1.example.com"],
  "ns1.example.com A": ["198.51.100.1"],
} as const;

function hasIpv6Loopback(): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some(({ address }) => address === "::1"),
  );
}

describe("a propagation check, over real packets", () => {
  const started: (() => Promise<void>)[] = [];
  afterEach(async () => {
    // The client before its servers, so that nothing waits for an answer that cannot come.
    for (const stop of started.splice(0).toReversed()) await stop();
  });

  async function serve(content: Partial<DnsTestZones>): Promise<DnsTestServer> {
    const server = await startDnsServer({ zones: [""], records: {}, ...content });
    started.push(() => server.stop());
    return server;
  }

  /** A client for which the documentation addresses of the test's zones lead to its servers. */
  function connect(
    resolver: DnsTestServer,
    places: Readonly<Record<string, DnsTestServer>> = {},
    options: Partial<DnsOptions> = {},
  ): Dns {
    const dns = createDns({
      servers: [resolver],
      timeoutMs: 2000,
      deadlineMs: 5000,
      route: (address) => {
        const place = places[address];
        return place === undefined ? [] : [place];
      },
      ...options,
    });
    started.push(() => dns.close());
    return dns;
  }

  /** One server is the resolver and the zone's authority too, as in the sandbox. */
  async function check(
    records: DnsTestZones["records"],
    record: ExpectedRecord = RECORD,
    scripts: Readonly<Record<string, Script>> = {},
  ): Promise<RecordCheck> {
    const server = await serve({ records: { ...ZONE, ...records }, scripts });
    // Only where silence is the point must a time-out come soon; elsewhere a loaded machine gets its time.
    const timeoutMs = Object.values(scripts).includes(silent) ? 60 : 2000;
    return connect(server, { "198.51.100.1": server }, { timeoutMs }).check(record);
  }

  function assertRefused(
    result: RecordCheck,
    code: PropagationErrorCode,
    message: RegExp,
    value: string | null = null,
  ): void {
    assert.equal(result.error?.code, code, result.error?.message);
    assert.match(result.error.message, message);
    assert.equal(result.value, value);
  }

  const OK = { value: TARGET, error: null };

  it("accepts the record, in any case and with trailing dots", async () => {
    assert.deepEqual(await check({ [`${NAME} CNAME`]: ["_Y.Validations.TEST"] }), OK);
    const dotted = { ...RECORD, name: "_X.www.Example.com.", value: `${TARGET}.` };
    assert.deepEqual(await check({ [`${NAME} CNAME`]: [TARGET] }, dotted), OK);
  });

  it("reports a wrong value", async () => {
    assertRefused(
      await check({ [`${NAME} CNAME`]: ["d1.other.net"] }),
      "WRONG_VALUE",
      /^Found d1\.other\.net; set a CNAME from _x\.www\.example\.com to _y\.validations\.test\.$/,
      "d1.other.net",
    );
  });

  it("reports that a name does not exist", async () => {
    assertRefused(await check({}), "NOT_FOUND", /Set a CNAME from _x\.www.* \(name it _x\.www if/);
  });

  it("reports that a name exists without the record", async () => {
    assertRefused(await check({ [`a.${NAME} TXT`]: ["below"] }), "NOT_FOUND", /Found no record at/);
  });

  it("reports a doubled zone name", async () => {
    const doubled = `${NAME}.example.com CNAME`;
    for (const value of [TARGET, `${TARGET}.example.com`]) {
      assertRefused(
        await check({ [doubled]: [value] }),
        "ZONE_NAME_DOUBLED",
        /Found the record at _x\.www\.example\.com\.example\.com: .* Enter only _x\.www as its name/,
      );
    }
  });

  it("does not search for a missing record elsewhere in a quick check", async () => {
    const records = { ...ZONE, [`${NAME}.example.com CNAME`]: [TARGET] };
    const server = await serve({ records });
    const dns = connect(server, { "198.51.100.1": server });
    assertRefused(await dns.check(RECORD, { isQuick: true }), "NOT_FOUND", /Found no record at/);
    assertRefused(await dns.check(RECORD), "ZONE_NAME_DOUBLED", /the DNS panel appended the zone/);
  });

  it("does not take a wildcard's answer at the doubled name for the record", async () => {
    assertRefused(
      await check({ [`${NAME}.example.com CNAME`]: ["wild.other.net"] }),
      "NOT_FOUND",
      /Set a CNAME/,
    );
  });

  it("reports SERVFAIL of a server that serves the zone", async () => {
    assertRefused(
      await check({}, RECORD, { [NAME]: withRcode(2) }),
      "SERVFAIL",
      /example\.com \(ns1\.example\.com\) failed with SERVFAIL: 127\.0\.0\.1 answered SERVFAIL\. Ask the zone's DNS provider/,
    );
  });

  it("reports SERVFAIL if there is no other answer", async () => {
    assertRefused(await check({}, RECORD, { "*": withRcode(2) }), "SERVFAIL", /SERVFAIL/);
  });

  it("tells REFUSED", async () => {
    assertRefused(
      await check({}, RECORD, { [NAME]: withRcode(5) }),
      "REFUSED",
      /refused the question.*Check that the zone/,
    );
    assertRefused(await check({}, RECORD, { "*": withRcode(5) }), "REFUSED", /refused the question/);
  });

  it("reports time-outs of the zone's servers, and of all servers", async () => {
    assertRefused(
      await check({}, RECORD, { [NAME]: silent }),
      "TIMEOUT",
      /ns1\.example\.com\) did not answer in time/,
    );
    assertRefused(await check({}, RECORD, { "*": silent }), "TIMEOUT", /did not answer in time\. Check/);
  });

  it("reports a malformed answer", async () => {
    assertRefused(await check({}, RECORD, { [NAME]: brokenOff }), "MALFORMED_ANSWER", /invalid DNS message/);
    assertRefused(await check({}, RECORD, { "*": brokenOff }), "MALFORMED_ANSWER", /invalid DNS message/);
  });

  it("asks over TCP when the answer is truncated", async () => {
    assert.deepEqual(await check({ [`${NAME} CNAME`]: [TARGET] }, RECORD, { [NAME]: truncatedOverUdp }), OK);
  });

  it("reports a truncated answer that is not available over TCP", async () => {
    const server = await serve({ records: ZONE, scripts: { [NAME]: truncatedOverUdp }, udpOnly: true });
    const result = await connect(server, { "198.51.100.1": server }).check(RECORD);
    assertRefused(result, "TIMEOUT", /too large for UDP, and did not send it over TCP/);
  });

  it("is not deceived by a forged reply", async () => {
    const forged: Script = (heard, honest) => [
      encode({ ...honest, id: heard.id ^ 1, answers: [{ name: NAME, type: "CNAME", data: "forged.test" }] }),
      encode(honest),
    ];
    assert.deepEqual(await check({ [`${NAME} CNAME`]: [TARGET] }, RECORD, { [NAME]: forged }), OK);
  });

  function chainTo(hops: number, end: string): DnsTestZones["records"] {
    const names = [NAME, ...Array.from({ length: hops - 1 }, (_, index) => `h${index}.example.com`), end];
    return Object.fromEntries(names.slice(1).map((name, index) => [`${names[index]} CNAME`, [name]]));
  }

  it("follows a chain of 8 CNAMEs to the target, but not of 9", async () => {
    assert.deepEqual(await check(chainTo(8, TARGET)), { value: "h0.example.com", error: null });
    assertRefused(
      await check(chainTo(9, TARGET)),
      "CNAME_LOOP",
      /The chain of CNAME records is longer than 8/,
      "h0.example.com",
    );
  });

  it("ends at a loop of CNAMEs, and at a CNAME to itself", async () => {
    assertRefused(
      await check(chainTo(3, NAME)),
      "CNAME_LOOP",
      /form a loop: .* → .* Set a CNAME/,
      "h0.example.com",
    );
    assertRefused(await check({ [`${NAME} CNAME`]: [NAME] }), "CNAME_LOOP", /form a loop/, NAME);
  });

  it("reports records in place of the CNAME, several of them with several strings", async () => {
    assertRefused(
      await check({ [`${NAME} A`]: ["192.0.2.1"], [`${NAME} TXT`]: ["t"] }),
      "CONFLICTING_RECORDS",
      /Remove the A and TXT records/,
      "192.0.2.1",
    );
    const long = "y".repeat(300);
    assertRefused(
      await check({ [`${NAME} TXT`]: [long, "z"] }),
      "CONFLICTING_RECORDS",
      /TXT record at .* Remove it/,
      `${long}, z`,
    );
  });

  it("reports a proxied record, over IPv4 and IPv6", async () => {
    const found = { [`${NAME} A`]: ["104.21.3.4"], [`${NAME} AAAA`]: ["2606:4700::1"] };
    assertRefused(await check(found), "PROXIED", /"DNS only"/, "104.21.3.4, 2606:4700::1");
  });

  describe("of an ALIAS", () => {
    const record: ExpectedRecord = { type: "ALIAS", name: "example.com", value: "d1.cdn.test" };
    const target = { "d1.cdn.test A": ["192.0.2.1", "192.0.2.2"] };

    it("accepts some of the target's addresses", async () => {
      assert.deepEqual(await check({ ...target, "example.com A": ["192.0.2.2"] }, record), {
        value: "192.0.2.2",
        error: null,
      });
    });
    it("accepts a literal CNAME to the target", async () => {
      assert.equal((await check({ "example.com CNAME": ["d1.cdn.test"] }, record)).error, null);
    });
    it("reports other addresses", async () => {
      const found = { ...target, "example.com A": ["192.0.2.77"] };
      assertRefused(await check(found, record), "WRONG_VALUE", /none of these belongs/, "192.0.2.77");
    });
    it("reports a stray AAAA", async () => {
      const found = { ...target, "example.com A": ["192.0.2.1"], "example.com AAAA": ["2001:db8::9"] };
      assertRefused(
        await check(found, record),
        "CONFLICTING_RECORDS",
        /Found 2001:db8::9 .* Remove that record/,
        "192.0.2.1, 2001:db8::9",
      );
    });
    it("reports a missing record beside the usual TXT, and a doubled one", async () => {
      assertRefused(await check({ "example.com TXT": ["v=spf1 -all"] }, record), "NOT_FOUND", /Set an ALIAS/);
      const doubled = { ...target, "example.com.example.com A": ["192.0.2.1"] };
      assertRefused(await check(doubled, record), "ZONE_NAME_DOUBLED", /Enter only @/);
    });
    it("does not report a record as missing if its addresses could not be looked up", async () => {
      assertRefused(await check(target, record, { "example.com A": withRcode(2) }), "SERVFAIL", /SERVFAIL/);
    });
  });

  describe("of CAA", () => {
    const record = {
      type: "CAA",
      name: "example.com",
      issuers: ["amazon.com", "amazontrust.com"],
      needsCname: false,
    } as const satisfies ExpectedRecord;
    const refusing = { "example.com CAA": ['0 issue "letsencrypt.org"', '0 iodef "mailto:a@example.com"'] };

    async function refusal(
      records: DnsTestZones["records"],
      name: string,
      { scripts, needsCname = false }: { scripts?: Record<string, Script>; needsCname?: boolean } = {},
    ) {
      const server = await serve({ records: { ...ZONE, ...records }, ...(scripts && { scripts }) });
      return connect(server, { "198.51.100.1": server }).findCaaRefusal(name, {
        issuers: record.issuers,
        needsCname,
      });
    }

    it("reports a set that refuses, and accepts a set that allows", async () => {
      const found = '0 issue "letsencrypt.org", 0 iodef "mailto:a@example.com"';
      assertRefused(
        await check(refusing, record),
        "CAA_REFUSES",
        /do not let amazon\.com or amazontrust\.com/,
        found,
      );
      const allowing = { "example.com CAA": ['0 issue "ca.test"', '0 issue "amazontrust.com"'] };
      assert.equal((await check(allowing, record)).error, null);
      assert.deepEqual(await check({}, record), { value: null, error: null });
    });
    it("finds the refusing set up the tree", async () => {
      const found = await refusal(refusing, "a.b.example.com", { needsCname: true });
      assert.deepEqual(
        [found?.at, found?.owner, found?.setAt, found?.value],
        ["example.com", "example.com", "example.com", '0 issue "amazon.com"'],
      );
      assert.deepEqual(found?.found, ['0 issue "letsencrypt.org"', '0 iodef "mailto:a@example.com"']);
    });
    it("names the target of a CNAME that has the refusing set, and asks for no record beside the CNAME", async () => {
      const target = "shop.vendor.example.net";
      const records = {
        "www.example.com CNAME": [target],
        [`${target} CAA`]: ['0 issue "letsencrypt.org"'],
      };
      const found = await refusal(records, "www.example.com", { needsCname: true });
      assert.deepEqual([found?.at, found?.owner, found?.setAt], ["www.example.com", target, null]);
      assert.match(
        found?.message ?? "",
        /www\.example\.com is a CNAME to shop\.vendor\.example\.net, whose CAA/,
      );
      assert.match(found?.action ?? "", /SERVICE_CONNECTION record at www\.example\.com now/);
      assert.match(found?.action ?? "", /ask the owner of shop\.vendor\.example\.net to add/);
      const below = await refusal(records, "a.www.example.com", { needsCname: true });
      assert.equal(below?.setAt, null);
      assert.doesNotMatch(below?.action ?? "", /SERVICE_CONNECTION/);
    });
    it("moves a set away from a name that needs a CNAME, which cannot be beside it", async () => {
      const records = { "www.example.com CAA": ['0 issue "letsencrypt.org"'] };
      const found = await refusal(records, "www.example.com", { needsCname: true });
      assert.deepEqual([found?.at, found?.setAt], ["www.example.com", "example.com"]);
      assert.match(found?.action ?? "", /^Move them from www\.example\.com to example\.com, because/);
      assert.equal((await refusal(records, "www.example.com"))?.setAt, "www.example.com");
    });
    it("does not send the owner of a public suffix's child to the suffix", async () => {
      const records = { "example.com CAA": ['0 issue "letsencrypt.org"'] };
      const found = await refusal(records, "example.com", { needsCname: true });
      assert.equal(found?.setAt, null);
      assert.match(found?.action ?? "", /^Remove them/);
    });
    it("uses issuewild only for wildcards", async () => {
      const wild = { "example.com CAA": ['0 issue "amazon.com"', '0 issuewild ";"'] };
      assert.equal((await refusal(wild, "*.example.com"))?.at, "example.com");
      assert.equal(await refusal(wild, "www.example.com"), null);
    });
    it("refuses because of an unknown critical tag", async () => {
      const critical = { "example.com CAA": ['0 issue "amazon.com"', '128 future "1"'] };
      const found = await refusal(critical, "example.com");
      assert.deepEqual([found?.at, found?.setAt], ["example.com", null]);
      assert.match(found?.action ?? "", /Remove that record at example\.com/);
    });
    it("does not say that no wildcard would end if the lookup fails", async () => {
      const scripts = { "shop.example.com CNAME": withRcode(2) };
      const server = await serve({ records: ZONE, scripts });
      const dns = connect(server, { "198.51.100.1": server });
      assert.equal(await dns.findEndedWildcard("shop.example.com"), undefined);
      assert.equal(await dns.findEndedWildcard("www.example.com"), null);
    });
    it("is unknown if the lookup fails, while a check reports the failure", async () => {
      const scripts = { "example.com CAA": withRcode(2) };
      assert.equal(await refusal(refusing, "www.example.com", { scripts }), undefined);
      assertRefused(await check(refusing, record, scripts), "SERVFAIL", /SERVFAIL/);
    });
  });

  describe("finds the zone's own servers", () => {
    it("asks them, not the resolver with its outdated cache", async () => {
      const resolver = await serve({ records: { ...ZONE, [`${NAME} CNAME`]: ["old.test"] } });
      const authority = await serve({ zones: ["example.com"], records: { [`${NAME} CNAME`]: [TARGET] } });
      assert.deepEqual(await connect(resolver, { "198.51.100.1": authority }).check(RECORD), OK);
    });

    it("does not let the resolver remember that a record is missing", async () => {
      const resolver = await serve({ records: ZONE });
      const authority = await serve({ zones: ["example.com"] });
      const dns = connect(resolver, { "198.51.100.1": authority });
      assertRefused(await dns.check(RECORD), "NOT_FOUND", /Found no record at/);
      assert.deepEqual(
        resolver.heard.filter((line) => line.includes(NAME)),
        [],
      );
    });

    it("remembers them for the zone's other names", async () => {
      const server = await serve({ records: ZONE });
      const dns = connect(server, { "198.51.100.1": server });
      await Promise.all([dns.check(RECORD), dns.check({ ...RECORD, name: "a.example.com" })]);
      await dns.check({ ...RECORD, name: "b.example.com" });
      assert.equal(server.heard.filter((line) => line === "udp example.com NS").length, 1);
    });

    it("follows referrals to a zone below", async () => {
      const resolver = await serve({ records: ZONE });
      const child = await serve({ zones: ["www.example.com"], records: { [`${NAME} CNAME`]: [TARGET] } });
      const parent = await serve({
        zones: ["example.com"],
        delegations: { "www.example.com": { "ns.www.example.com": "198.51.100.2" } },
      });
      const dns = connect(resolver, { "198.51.100.1": parent, "198.51.100.2": child });
      assert.deepEqual(await dns.check(RECORD), OK);
      assert.deepEqual(await dns.check(RECORD), OK);
      // Once for the name, and once for all name servers that it delegates to.
      assert.deepEqual(parent.heard, [`udp ${NAME} CNAME`, "udp www.example.com NS"]);
    });

    it("trusts a referring server only about hosts below its own zone", async () => {
      const honest = await serve({ zones: ["www.example.com"], records: { [`${NAME} CNAME`]: [TARGET] } });
      const forged = await serve({ zones: ["www.example.com"] });
      const resolver = await serve({ records: { ...ZONE, "ns.other.net A": ["198.51.100.2"] } });
      const parent = await serve({
        zones: ["example.com"],
        delegations: { "www.example.com": { "ns.other.net": "198.51.100.3" } },
      });
      const dns = connect(resolver, {
        "198.51.100.1": parent,
        "198.51.100.2": honest,
        "198.51.100.3": forged,
      });
      assert.deepEqual(await dns.check(RECORD), OK);
      assert.deepEqual(forged.heard, []);
    });

    it("continues with the next server, and prefers it from then on", async () => {
      const twoServers = { ...ZONE, "ns1.example.com A": ["198.51.100.1", "198.51.100.2"] };
      const resolver = await serve({ records: twoServers });
      const dead = await serve({ scripts: { "*": silent } });
      const alive = await serve({ records: { [`${NAME} CNAME`]: [TARGET] } });
      const dns = connect(resolver, { "198.51.100.1": dead, "198.51.100.2": alive }, { timeoutMs: 300 });
      assert.deepEqual(await dns.check(RECORD), OK);
      assert.deepEqual(await dns.check(RECORD), OK);
      assert.equal(dead.heard.length, 1);
    });

    it("falls back to the resolver when they are dead, and soon no longer waits for them", async () => {
      const resolver = await serve({ records: { ...ZONE, [`${NAME} CNAME`]: [TARGET] } });
      const dead = await serve({ scripts: { "*": silent } });
      const dns = connect(resolver, { "198.51.100.1": dead }, { timeoutMs: 300 });
      assert.deepEqual(await dns.check(RECORD), OK);
      const heard = dead.heard.length;
      assert.deepEqual(await dns.check(RECORD), OK);
      assert.equal(dead.heard.length, heard);
    });

    it("reports a broken delegation if they are dead and the resolver fails too", async () => {
      const resolver = await serve({ records: ZONE, scripts: { [NAME]: withRcode(2) } });
      const dead = await serve({ scripts: { "*": silent } });
      assertRefused(
        await connect(resolver, { "198.51.100.1": dead }, { timeoutMs: 300 }).check(RECORD),
        "DELEGATION_BROKEN",
        /ns1\.example\.com\) do not answer for that zone: .* Set the name servers at the domain's registrar/,
      );
    });

    it("reports a broken delegation if they serve other zones, which only the parent's servers show", async () => {
      const parent = await serve({
        zones: ["com"],
        delegations: { "example.com": { "ns1.example.com": "198.51.100.1" } },
      });
      const foreign = await serve({ zones: ["other.net"] });
      const resolver = await serve({
        records: { "com NS": ["a.com"], "a.com A": ["198.51.100.9"] },
        scripts: { "example.com": withRcode(2), [NAME]: withRcode(2) },
      });
      const dns = connect(resolver, { "198.51.100.9": parent, "198.51.100.1": foreign });
      assertRefused(await dns.check(RECORD), "DELEGATION_BROKEN", /example\.com .*answered REFUSED/);
    });

    it("does not accept an answer that is not authoritative", async () => {
      const resolver = await serve({ records: { ...ZONE, [`${NAME} CNAME`]: [TARGET] } });
      const cache: Script = (_heard, honest) => [
        encode({ ...bare(honest), answers: [{ name: NAME, type: "CNAME", data: "old.test" }] }),
      ];
      const forwarder = await serve({ scripts: { "*": cache } });
      assert.deepEqual(await connect(resolver, { "198.51.100.1": forwarder }).check(RECORD), OK);
    });

    it("never dials private addresses that a zone names, and asks the resolver instead", async () => {
      const inside = ["10.0.0.1", "127.0.0.2", "169.254.169.254", "192.168.0.1"];
      const resolver = await serve({
        records: {
          ...ZONE,
          "ns1.example.com A": inside,
          "ns1.example.com AAAA": ["::1", "fd00::1", "::ffff:127.0.0.1"],
          [`${NAME} CNAME`]: [TARGET],
        },
      });
      const dns = createDns({ servers: [resolver], timeoutMs: 2000 });
      started.push(() => dns.close());
      assert.deepEqual(await dns.check(RECORD), OK);
      // If it had connected to the address, the error would be that it does not answer.
      const broken = await serve({
        records: { ...ZONE, "ns1.example.com A": inside },
        scripts: { [NAME]: withRcode(2) },
      });
      const alone = createDns({ servers: [broken], timeoutMs: 2000 });
      started.push(() => alone.close());
      const result = await alone.check(RECORD);
      assertRefused(result, "DELEGATION_BROKEN", /ns1\.example\.com\) have no public address/);
    });

    it("dials a name server with a configured address on the configured port, as in the sandbox", async () => {
      const server = await serve({
        records: { ...ZONE, "ns1.example.com A": ["127.0.0.1"], [`${NAME} CNAME`]: [TARGET] },
      });
      const dns = createDns({ servers: [server], timeoutMs: 500 });
      started.push(() => dns.close());
      assert.deepEqual(await dns.check(RECORD), OK);
    });
  });

  describe("finding who serves a name", () => {
    const delegated = { zone: "example.com", nameServers: ["ns1.example.com"] };

    it("names the zone and all its servers, however many are dialled", async () => {
      const names = [1, 2, 3, 4, 5, 6].map((number) => `ns${number}.example.com`);
      const server = await serve({
        zones: ["example.com"],
        records: { "example.com NS": names.toReversed(), "ns1.example.com A": ["198.51.100.1"] },
      });
      const dns = connect(server, { "198.51.100.1": server });
      const found = { zone: "example.com", nameServers: names };
      assert.deepEqual(await dns.findDelegation("www.example.com"), found);
      assert.deepEqual(await dns.findDelegation("*.example.com"), found);
    });

    it("goes down to a zone of other servers, and to a zone of the same servers", async () => {
      const child = await serve({ zones: ["shop.example.com"] });
      const referring = await serve({
        zones: ["example.com"],
        records: ZONE,
        delegations: { "shop.example.com": { "ns.other.net": "198.51.100.2" } },
      });
      const dns = connect(referring, { "198.51.100.1": referring, "198.51.100.2": child });
      const other = { zone: "shop.example.com", nameServers: ["ns.other.net"] };
      assert.deepEqual(await dns.findDelegation("www.shop.example.com"), other);
      assert.deepEqual(await dns.findDelegation("www.example.com"), delegated);

      const both = await serve({
        zones: ["example.com", "shop.example.com"],
        records: { ...ZONE, "shop.example.com NS": ["ns2.example.com"] },
      });
      assert.deepEqual(await connect(both, { "198.51.100.1": both }).findDelegation("shop.example.com"), {
        zone: "shop.example.com",
        nameServers: ["ns2.example.com"],
      });
    });

    it("knows a zone whose servers have no public address", async () => {
      const resolver = await serve({ records: { "example.com NS": ["gone.example.net"] } });
      assert.deepEqual(await connect(resolver).findDelegation("www.example.com"), {
        zone: "example.com",
        nameServers: ["gone.example.net"],
      });
    });

    it("finds nothing while the servers fail, rather than a zone above", async () => {
      const resolver = await serve({ records: ZONE });
      const failing = await serve({ scripts: { "*": withRcode(2) } });
      assert.equal(await connect(resolver, { "198.51.100.1": failing }).findDelegation(NAME), null);
    });

    it("sees a move at once when asked afresh", async () => {
      const records: Record<string, readonly string[]> = { ...ZONE };
      const server = await serve({ zones: ["example.com"], records });
      const dns = connect(server, { "198.51.100.1": server });
      assert.deepEqual(await dns.findDelegation(NAME), delegated);
      records["example.com NS"] = ["ns2.example.com"];
      records["ns2.example.com A"] = ["198.51.100.1"];
      assert.deepEqual(await dns.findDelegation(NAME), delegated);
      assert.deepEqual(await dns.findDelegation(NAME, { isFresh: true }), {
        zone: "example.com",
        nameServers: ["ns2.example.com"],
      });
    });
  });

  it("works over IPv6", { skip: !hasIpv6Loopback() && "no IPv6 loopback" }, async () => {
    const server = await serve({
      host: "::1",
      records: { ...ZONE, "ns1.example.com AAAA": ["::1"], [`${NAME} CNAME`]: [TARGET] },
      scripts: { [NAME]: truncatedOverUdp },
    });
    const dns = createDns({ servers: [{ host: "0:0::1", port: server.port }], timeoutMs: 2000 });
    started.push(() => dns.close());
    assert.deepEqual(await dns.check(RECORD), OK);
    assert.ok(server.heard.includes(`tcp ${NAME} CNAME`));
  });

  it("ends within its deadline, however slow each server is", async () => {
    const twoServers = { ...ZONE, "ns1.example.com A": ["198.51.100.1", "198.51.100.2", "198.51.100.3"] };
    const resolver = await serve({ records: twoServers, scripts: { [NAME]: silent } });
    const dead = await serve({ scripts: { "*": silent } });
    const places = { "198.51.100.1": dead, "198.51.100.2": dead, "198.51.100.3": dead };
    const dns = connect(resolver, places, { timeoutMs: 10_000, deadlineMs: 80 });
    const startedAt = performance.now();
    assertRefused(await dns.check(RECORD), "TIMEOUT", /did not answer in time/);
    assert.ok(performance.now() - startedAt < 1000);
  });

  it("says that it was busy, and blames no domain, if no slot is free in time", async () => {
    const server = await serve({ scripts: { "*": silent } });
    const dns = connect(server, {}, { maxConcurrent: 1, deadlineMs: 60, timeoutMs: 1000 });
    const [, late] = await Promise.all([dns.check(RECORD), dns.check(RECORD)]);
    // A slot may become free at the last moment.
    if (late.error?.code === "TIMEOUT") assertRefused(late, "TIMEOUT", /did not answer in time/);
    else assertRefused(late, "NOT_CHECKED", /Too many checks were waiting/);
  });

  describe("of which no query was sent", () => {
    it("says so, and does not blame the name servers", async () => {
      const server = await serve({ records: ZONE });
      const dns = connect(server, { "198.51.100.1": server }, { deadlineMs: -1 });
      assertRefused(await dns.check(RECORD), "NOT_CHECKED", /^No query was sent to the DNS servers, because/);
      assert.deepEqual(server.heard, []);
    });

    it("says that a name cannot exist, such as the target of a CNAME with a space", async () => {
      const record = { type: "CAA", name: "www.example.com", issuers: [], needsCname: true } as const;
      const result = await check({ "www.example.com CNAME": ["with space.example.com"] }, record);
      assertRefused(result, "NOT_CHECKED", /^The name with space\.example\.com cannot exist in the DNS/);
    });

    it("leaves the zone and its servers to the next check", async () => {
      const own = { "*.example.com CNAME": ["x.example.com"], "x.example.com TXT": ["x"] };
      const resolver = await serve({ records: ZONE });
      const server = await serve({ records: { ...ZONE, ...own, [`${NAME} CNAME`]: [TARGET] } });
      const dns = connect(resolver, { "198.51.100.1": server });
      const name = `${"a.".repeat(100)}example.com`;
      const greedy = await dns.check({ type: "CAA", name, issuers: [], needsCname: true });
      assertRefused(greedy, "NOT_CHECKED", /^No query was sent to the name servers of example\.com \(ns1/);
      assert.deepEqual(await dns.check(RECORD), OK);
    });
  });

  it("lets running checks end when it is closed, and refuses new ones", async () => {
    const server = await serve({ records: { ...ZONE, [`${NAME} CNAME`]: [TARGET] } });
    const dns = createDns({ servers: [server], timeoutMs: 500, route: () => [server] });
    const running = dns.check(RECORD);
    await dns.close();
    assert.deepEqual(await running, OK);
    await assert.rejects(dns.check(RECORD), /closed/);
  });

  it("never throws for arbitrary bytes, and always ends with a result", async () => {
    let junk = Buffer.alloc(0);
    const script: Script = (_heard, honest) => {
      const head = encode(bare(honest));
      junk.copy(head, 2, 0, 10);
      return [Buffer.concat([head, junk])];
    };
    const server = await serve({ records: ZONE, scripts: { "*": script } });
    const dns = connect(server, { "198.51.100.1": server }, { timeoutMs: 3, deadlineMs: 30 });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        junk = Buffer.from(bytes);
        const result = await dns.check(RECORD);
        assert.ok(result.error !== null && result.error.message.length > 0);
      }),
      { numRuns: 40, seed: 4 },
    );
  });

  it("refuses a server that is a name, which nothing could look up", () => {
    assert.throws(() => createDns({ servers: [{ host: "dns.example.com", port: 53 }] }), /not an IP address/);
  });
});
