/**
 * Every finding in every situation that changes which advice is right, over real packets. Wrong advice takes a site
 * offline. The situation of a broken signature needs BIND: `test/dns/dnssec.check.ts`.
 */
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { encode, type Packet } from "dns-packet";
import {
  type DnsTestZones,
  type Script,
  silent,
  startDnsServer,
  withRcode,
} from "../../test/helpers/customers/dns-server.ts";
import {
  FINDINGS,
  type Place,
  type Records,
  rightAt,
  TARGET,
  TARGET_ADDRESS,
  world,
  type World,
} from "../../test/helpers/customers/dns-worlds.ts";
import type { Dns, ExpectedRecord, PropagationErrorCode, RecordCheck } from "./dns.ts";
import { createDns } from "./resolver.ts";

const WILD_ADDRESS = "192.0.2.10";
const WWW: Place = { name: "www.example.com", zone: "example.com", type: "CNAME" };
const APEX: Place = { name: "apps.example.com", zone: "apps.example.com", type: "ALIAS" };

type Situation = { readonly place: Place; readonly apply: (world: World, place: Place) => World };
const addRecords = (added: (place: Place) => Records): Situation["apply"] => {
  return (one, place) => ({
    ...one,
    servers: one.servers.map((server) => ({ ...server, records: { ...added(place), ...server.records } })),
  });
};
const SITUATIONS = {
  "a wildcard answers": {
    place: WWW,
    apply: (one, place) => ({
      ...addRecords(({ zone }) => ({ [`*.${zone} A`]: [WILD_ADDRESS] }))(one, place),
      registry: { "*.com A": [WILD_ADDRESS] },
    }),
  },
  "the name is the top of a delegated zone": { place: APEX, apply: (one) => one },
  "the servers disagree": {
    place: WWW,
    // The second server has the record exactly where the first has not.
    apply: (one, place) => {
      const [first] = one.servers;
      if (first === undefined || one.servers.length > 1) return one;
      if (one.record.type === "CAA") {
        const hasSet = Object.keys(first.records).some((key) => key.endsWith(" CAA"));
        return { ...one, servers: [first, hasSet ? { records: {} } : first] };
      }
      const isRight = JSON.stringify(first.records) === JSON.stringify(rightAt(place));
      return { ...one, servers: [first, { records: isRight ? {} : rightAt(place) }] };
    },
  },
  "the name is a CNAME": {
    place: WWW,
    apply: (one, place) => {
      const isOwn = one.servers.some(({ records }) => `${place.name} CNAME` in records);
      return isOwn ? one : addRecords(({ name }) => ({ [`${name} CNAME`]: ["shop.vendor.net"] }))(one, place);
    },
  },
  "the name is used for something else": {
    place: WWW,
    apply: addRecords(({ name }) => ({
      [`${name} TXT`]: ["v=spf1 -all"],
      [`${name} MX`]: ["mail.example.net"],
    })),
  },
  "the provider flattens the record": {
    place: WWW,
    apply: (one, { name }) => ({
      ...one,
      servers: one.servers.map((server) => {
        const { [`${name} CNAME`]: _cname, [`${name} A`]: _a, ...others } = server.records;
        const isSet = _cname !== undefined || _a !== undefined;
        return { ...server, records: isSet ? { ...others, [`${name} A`]: [TARGET_ADDRESS] } : others };
      }),
    }),
  },
} as const satisfies Record<string, Situation>;

/** What Slipway says: a code, and what its message has. */
type Cell = readonly [code: PropagationErrorCode | "OK", message?: RegExp];
type Row = Readonly<Record<keyof typeof SITUATIONS, Cell>>;

const UNREGISTERED: Cell = [
  "NOT_REGISTERED",
  /^example\.com .* not registered, has expired, is on hold, or is mistyped/,
];
const REPLACED: Cell = [
  "WRONG_VALUE",
  /^Found shop\.vendor\.net; set a CNAME from www\.example\.com to d1\.cdn\.net\.$/,
];
const ELSEWHERE: Cell = [
  "CONFLICTING_RECORDS",
  /Found a TXT and MX record at www\.example\.com .*receives no mail\. If what is there is still needed, use another name/,
];
const DISAGREE: Cell = [
  "SERVERS_DISAGREE",
  /example\.com disagree: ns2\.second\.net has a CNAME from www\.example\.com to d1\.cdn\.net, and ns1\.first\.net does not\. Set the record there too/,
];
const ENDED: Cell = [
  "WILDCARD_ENDED",
  /^Found no record at www\.example\.com, and the wildcard \*\.example\.com no longer answers for this name, because another record exists at or below it\. Set a CNAME from www\.example\.com to d1\.cdn\.net now \(name it www /,
];
const every = (cell: Cell, others: Partial<Row> = {}): Row => ({
  "a wildcard answers": cell,
  "the name is the top of a delegated zone": cell,
  "the servers disagree": cell,
  "the name is a CNAME": cell,
  "the name is used for something else": cell,
  "the provider flattens the record": cell,
  ...others,
});

/** One server that answers is enough. */
const ANSWERED: Partial<Row> = { "the servers disagree": ["OK"] };

const MATRIX: Readonly<Record<keyof typeof FINDINGS, Row>> = {
  OK: every(["OK"], {
    "the servers disagree": [
      "SERVERS_DISAGREE",
      /ns1\.first\.net has a CNAME from .*, and ns2\.second\.net does not\./,
    ],
  }),
  NOT_FOUND: {
    "a wildcard answers": [
      "NOT_FOUND",
      /^Found no record at www\.example\.com itself: the wildcard \*\.example\.com answers there \(A 192\.0\.2\.10\)\. Leave it as it is, and set a CNAME from www\.example\.com to d1\.cdn\.net \(name it www .*takes precedence/,
    ],
    "the name is the top of a delegated zone": [
      "NOT_FOUND",
      /Set an ALIAS from apps\.example\.com to d1\.cdn\.net \(name it @ if your DNS panel appends apps\.example\.com\)/,
    ],
    "the servers disagree": DISAGREE,
    "the name is a CNAME": REPLACED,
    "the name is used for something else": ELSEWHERE,
    "the provider flattens the record": ["NOT_FOUND", /Set a CNAME from www\.example\.com/],
  },
  WILDCARD_ENDED: every(ENDED, {
    "the name is the top of a delegated zone": ["NOT_FOUND", /Set an ALIAS from apps\.example\.com/],
    "the servers disagree": DISAGREE,
    "the name is a CNAME": REPLACED,
    "the name is used for something else": ELSEWHERE,
  }),
  NOT_REGISTERED: every(UNREGISTERED),
  WRONG_VALUE: {
    "a wildcard answers": ["WRONG_VALUE", /^Found d1\.other\.net; set a CNAME/],
    "the name is the top of a delegated zone": [
      "WRONG_VALUE",
      /none of these belongs to .* Set an ALIAS from/,
    ],
    "the servers disagree": DISAGREE,
    "the name is a CNAME": ["WRONG_VALUE", /^Found d1\.other\.net; set a CNAME/],
    "the name is used for something else": ["WRONG_VALUE", /^Found d1\.other\.net; set a CNAME/],
    "the provider flattens the record": ["OK"],
  },
  ZONE_NAME_DOUBLED: every(["ZONE_NAME_DOUBLED", /Enter only (?:www|@) as its name/], {
    "the servers disagree": DISAGREE,
    "the name is a CNAME": REPLACED,
    "the name is used for something else": ELSEWHERE,
  }),
  PROXIED: every(["PROXIED", /Switch the record to "DNS only"/], {
    "the servers disagree": DISAGREE,
    "the name is a CNAME": REPLACED,
    "the provider flattens the record": ["OK"],
  }),
  CONFLICTING_RECORDS: {
    "a wildcard answers": [
      "CONFLICTING_RECORDS",
      /Found 192\.0\.2\.9 at www\.example\.com, where a CNAME should be\. Remove the A records there and set a CNAME/,
    ],
    "the name is the top of a delegated zone": [
      "CONFLICTING_RECORDS",
      /Found 192\.0\.2\.9 at apps\.example\.com besides the addresses of d1\.cdn\.net/,
    ],
    "the servers disagree": DISAGREE,
    "the name is a CNAME": REPLACED,
    "the name is used for something else": [
      "CONFLICTING_RECORDS",
      /Remove the A and TXT and MX records there .* If what is there is still needed, use another name/,
    ],
    "the provider flattens the record": ["OK"],
  },
  CNAME_LOOP: every(["CNAME_LOOP", /loop: .*Set (?:a CNAME|an ALIAS) from/], {
    "the servers disagree": DISAGREE,
    "the provider flattens the record": ["OK"],
  }),
  CAA_REFUSES: every(["CAA_REFUSES", /The CAA records at (?:apps\.)?example\.com /], {
    "the servers disagree": [
      "SERVERS_DISAGREE",
      /example\.com disagree: the CAA records at example\.com \(0 issue "letsencrypt\.org"\) let amazon\.com issue certificates by ns2\.second\.net, and not by ns1\.first\.net\. Set the same CAA records at each/,
    ],
  }),
  SERVERS_DISAGREE: every(["SERVERS_DISAGREE", /Set the record there too/], {
    "the name is a CNAME": ["SERVERS_DISAGREE", /ns1\.first\.net has .*, and ns2\.second\.net does not/],
    "the name is used for something else": ["SERVERS_DISAGREE", /ns2\.second\.net does not/],
  }),
  SERVFAIL: every(["SERVFAIL", /failed with SERVFAIL/], ANSWERED),
  REFUSED: every(["REFUSED", /refused the question/], ANSWERED),
  TIMEOUT: every(["TIMEOUT", /did not answer in time/], ANSWERED),
  NOT_CHECKED: every(["NOT_CHECKED", /^The name with space\.(?:apps\.)?example\.com cannot exist/], {
    "the provider flattens the record": ["OK"],
  }),
  DELEGATION_BROKEN: every(["DELEGATION_BROKEN", /do not answer for that zone/], ANSWERED),
  MALFORMED_ANSWER: every(["MALFORMED_ANSWER", /invalid DNS message/], ANSWERED),
};

const SERVERS = ["ns1.first.net", "ns2.second.net"] as const;
describe("advice", () => {
  const stops: (() => Promise<void>)[] = [];
  after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  async function serve(content: Partial<DnsTestZones>) {
    const server = await startDnsServer({ zones: [""], records: {}, ...content });
    stops.push(() => server.stop());
    return server;
  }

  /** The whole DNS of a world, on loopback: a resolver, the registry of `com`, and the servers of the zone. */
  async function connect({ servers, registry = {} }: World, { zone }: Pick<Place, "zone">): Promise<Dns> {
    const names = SERVERS.slice(0, servers.length);
    const places = new Map([["198.51.100.9", await serve({ zones: ["com"], records: registry })]]);
    for (const [index, server] of servers.entries())
      places.set(`198.51.100.${index + 1}`, await serve({ zones: [zone], ...server }));
    const addresses = Object.fromEntries(names.map((name, index) => [name, `198.51.100.${index + 1}`]));
    const isBelow = zone !== "example.com" && servers.length > 0;
    if (isBelow)
      places.set("198.51.100.8", await serve({ zones: ["example.com"], delegations: { [zone]: addresses } }));
    const { "*": _any, ...scripts } = servers[0]?.scripts ?? {};
    const isLame = servers[0]?.zones !== undefined;
    const resolver = await serve({
      records: {
        "com NS": ["ns.registry.net"],
        "ns.registry.net A": ["198.51.100.9"],
        "ns.parent.net A": ["198.51.100.8"],
        ...(servers.length === 0 ? {} : { "example.com NS": isBelow ? ["ns.parent.net"] : names }),
        ...Object.fromEntries(Object.entries(addresses).map(([name, address]) => [`${name} A`, [address]])),
        [`${TARGET} A`]: [TARGET_ADDRESS],
      },
      scripts: isLame ? { [WWW.name]: withRcode(2), [APEX.name]: withRcode(2) } : scripts,
    });
    const isSilent = Object.values(scripts).includes(silent);
    const dns = createDns({
      servers: [resolver],
      timeoutMs: isSilent ? 250 : 2_000,
      route: (address) => [places.get(address) ?? []].flat(),
    });
    stops.push(() => dns.close());
    return dns;
  }

  function assertCell({ error }: RecordCheck, [code, message = /^/]: Cell): void {
    assert.equal(error?.code ?? "OK", code, error?.message);
    assert.match(error?.message ?? "", message);
    // A registry's zone is not where a customer enters records.
    assert.doesNotMatch(error?.message ?? "", /appends com\b|name servers of com\b/);
  }

  describe("what Slipway says if", () => {
    for (const [situation, { place, apply }] of Object.entries(SITUATIONS) as [
      keyof typeof SITUATIONS,
      Situation,
    ][]) {
      describe(situation, { concurrency: 8 }, () => {
        for (const [finding, row] of Object.entries(MATRIX) as [keyof typeof MATRIX, Row][]) {
          it(`and the finding would be ${finding}`, async () => {
            const one = apply(FINDINGS[finding](place), place);
            const check = await (await connect(one, place)).check(one.record);
            assertCell(check, row[situation]);
            if (place === APEX) assert.doesNotMatch(check.error?.message ?? "", /a CNAME from/);
          });
        }
      });
    }
  });

  describe("a wildcard", () => {
    async function check(records: Records, record: Partial<Extract<ExpectedRecord, { type: "CNAME" }>> = {}) {
      const dns = await connect({ ...world(WWW, records) }, WWW);
      return dns.check({ type: "CNAME", name: WWW.name, value: TARGET, ...record });
    }
    const LEFT = /the wildcard \*\.example\.com answers there .*Leave (?:it|the wildcard) as it is/;

    it("is left unchanged, whatever its type", async () => {
      for (const set of [
        { "*.example.com TXT": ["v=spf1 -all"] },
        { "*.example.com CNAME": ["shop.vendor.net"] },
        { "*.example.com AAAA": ["2001:db8::1"] },
        { "*.example.com MX": ["mail.vendor.net"] },
      ])
        assertCell(await check(set), ["NOT_FOUND", LEFT]);
    });

    it("is left unchanged if it gives other addresses each time", async () => {
      let turn = 0;
      const rotating: Script = (_heard, honest) => {
        turn += 1;
        const answers = honest.answers?.map((answer) => ({ ...answer, data: `192.0.2.${turn}` }));
        return [encode({ ...honest, answers } as Packet)];
      };
      const records = { "*.example.com A": [WILD_ADDRESS] };
      const dns = await connect(world(WWW, records, { scripts: { "*": rotating } }), WWW);
      assertCell(await dns.check({ type: "CNAME", name: WWW.name, value: TARGET }), ["NOT_FOUND", LEFT]);
    });

    it("is left unchanged, although the name's own record has the same value", async () => {
      const records = { "*.example.com A": [WILD_ADDRESS], "www.example.com A": [WILD_ADDRESS] };
      assertCell(await check(records), [
        "CONFLICTING_RECORDS",
        /Remove the A records there .* Leave the wildcard \*\.example\.com, which answers the same\.$/,
      ]);
    });

    it("may lead to the service itself", async () => {
      assertCell(await check({ "*.example.com CNAME": [TARGET] }), ["OK"]);
    });

    it("is found where it is, above a name that does not exist", async () => {
      const records = { "*.example.com A": [WILD_ADDRESS] };
      assertCell(await check(records, { name: "a.b.example.com" }), [
        "NOT_FOUND",
        /the wildcard \*\.example\.com answers .*also answers for b\.example\.com, but no longer/,
      ]);
      assertCell(
        await check({ ...records, "*.b.example.com A": ["192.0.2.11"] }, { name: "a.b.example.com" }),
        ["NOT_FOUND", /the wildcard \*\.b\.example\.com answers there \(A 192\.0\.2\.11\)\. Leave it/],
      );
    });

    it("is distinguished from the wildcard record that is to be set", async () => {
      const records = { "*.example.com A": [WILD_ADDRESS] };
      assertCell(await check(records, { name: "*.example.com" }), [
        "CONFLICTING_RECORDS",
        /Remove the A records there/,
      ]);
      assertCell(await check(records, { name: "*.shop.example.com" }), ["NOT_FOUND", LEFT]);
    });

    it("would end for a name whose verification record is set, which is said before", async () => {
      const records = {
        "*.example.com A": [WILD_ADDRESS],
        "*.example.com AAAA": ["2001:db8::10"],
      };
      const verification = { name: "_x.www.example.com", value: "_y.validations.test" };
      const before =
        /answers there \(A 192\.0\.2\.10, AAAA 2001:db8::10\)\. It also answers for www\.example\.com, but no longer once a record exists below: .*first set www\.example\.com to what the wildcard answers now\./;
      const warned = await check(records, verification);
      assertCell(warned, ["NOT_FOUND", before]);
      // Without a value, pages would only say that nothing is set.
      assert.equal(warned.value, "192.0.2.10, 2001:db8::10");
      const set = { ...records, "www.example.com A": [WILD_ADDRESS] };
      const after = await check(set, verification);
      assertCell(after, ["NOT_FOUND", /^Found no record at _x\.www\.example\.com\. Set a CNAME/]);
    });

    it("has ended, whether it is an address or an alias, unless it has nothing of a site", async () => {
      const below = { "_x.www.example.com CNAME": ["_y.validations.test"] };
      for (const wild of [
        { "*.example.com A": [WILD_ADDRESS] },
        { "*.example.com CNAME": ["shop.vendor.net"] },
      ])
        assertCell(await check({ ...wild, ...below }), ENDED);
      const mail = { "*.example.com TXT": ["v=spf1 -all"] };
      assertCell(await check({ ...mail, ...below }), [
        "NOT_FOUND",
        /^Found no record at www\.example\.com\. Set/,
      ]);
      assertCell(await check(below), ["NOT_FOUND", /^Found no record at www\.example\.com\. Set/]);
    });
  });

  describe("a CAA set that allows the provider", () => {
    const CAA = { "www.example.com CAA": ['0 issue "amazon.com"'] };
    const record = { type: "CNAME", name: WWW.name, value: TARGET } as const;
    const check = async (records: Records) => (await connect(world(WWW, records), WWW)).check(record);

    it("is in the way of the CNAME at its name, and moves to the parent first", async () => {
      assertCell(await check(CAA), [
        "CONFLICTING_RECORDS",
        /^Found CAA records at www\.example\.com \(0 issue "amazon\.com"\), and a CNAME cannot exist beside them\. Move them to example\.com, where they still apply to www\.example\.com, then set a CNAME from www/,
      ]);
    });

    it("moves too if there are other records, which are to be removed", async () => {
      for (const others of [{ "www.example.com A": ["192.0.2.9"] }, { "www.example.com TXT": ["x"] }])
        assertCell(await check({ ...CAA, ...others }), [
          "CONFLICTING_RECORDS",
          /[Rr]emove .* Move the CAA records there \(0 issue "amazon\.com"\) to example\.com/,
        ]);
    });

    it("is left where it is if it is a wildcard's", async () => {
      assertCell(await check({ "*.example.com CAA": ['0 issue "amazon.com"'] }), [
        "NOT_FOUND",
        /the wildcard \*\.example\.com answers there \(CAA 0 issue "amazon\.com"\)\. Leave it/,
      ]);
    });

    it("counts as different if only some servers have it below a set that refuses", async () => {
      const apex = { "example.com CAA": ['0 issue "letsencrypt.org"'] };
      const servers = [{ records: { ...apex, ...CAA } }, { records: apex }];
      const one: World = {
        record: { type: "CAA", name: WWW.name, issuers: ["amazon.com"], needsCname: false },
        servers,
      };
      assertCell(await (await connect(one, WWW)).check(one.record), [
        "SERVERS_DISAGREE",
        /the CAA records at www\.example\.com .* by ns1\.first\.net, and not by ns2\.second\.net/,
      ]);
    });
  });

  describe("a CAA set that refuses", () => {
    const record = { type: "CAA", name: WWW.name, issuers: ["amazon.com"], needsCname: true } as const;
    const refusing = ['0 issue "letsencrypt.org"'];
    const check = async (records: Records): Promise<RecordCheck> =>
      (await connect(world(WWW, records), WWW)).check(record);

    it("asks for no record beside a CNAME whose target has the set", async () => {
      const records = { "www.example.com CNAME": ["shop.example.com"], "shop.example.com CAA": refusing };
      const { error } = await check(records);
      assertCell({ value: null, error }, [
        "CAA_REFUSES",
        /www\.example\.com is a CNAME to shop\.example\.com/,
      ]);
      assert.doesNotMatch(error?.message ?? "", /Add a CAA record at www\.example\.com/);
    });

    it("moves from the name that needs a CNAME", async () => {
      assertCell(await check({ "www.example.com CAA": refusing }), [
        "CAA_REFUSES",
        /Move them from www\.example\.com to example\.com, because no CNAME can exist beside them/,
      ]);
    });

    it("is found behind a wildcard, which stays", async () => {
      const { error } = await check({ "*.example.com A": [WILD_ADDRESS], "example.com CAA": refusing });
      assertCell({ value: null, error }, ["CAA_REFUSES", /Add a CAA record at example\.com/]);
      assert.doesNotMatch(error?.message ?? "", /remove/i);
    });
  });

  describe("a zone at two providers", () => {
    it("gets the same answer at each check, however many servers each has", async () => {
      const first = ["a", "b", "c", "d", "e"].map((label) => `${label}.first.net`);
      const all = [...first, "x.second.net", "y.second.net"];
      const having = await serve({ zones: ["example.com"], records: rightAt(WWW) });
      const lacking = await serve({ zones: ["example.com"] });
      const resolver = await serve({
        records: {
          "example.com NS": all,
          ...Object.fromEntries(all.map((name, index) => [`${name} A`, [`198.51.100.${index + 1}`]])),
        },
      });
      const dns = createDns({
        servers: [resolver],
        timeoutMs: 2_000,
        route: (address) => [Number(address.split(".").at(-1)) > first.length ? lacking : having],
      });
      stops.push(() => dns.close());
      for (let time = 0; time < 6; time += 1) {
        const check = await dns.check({ type: "CNAME", name: WWW.name, value: TARGET }, { isFresh: true });
        assertCell(check, [
          "SERVERS_DISAGREE",
          /a\.first\.net, .*e\.first\.net have a CNAME .*, and x\.second\.net, y\.second\.net do not/,
        ]);
      }
    });

    it("names who lacks an ALIAS", async () => {
      const place: Place = { name: "example.com", zone: "example.com", type: "ALIAS" };
      const one: World = { ...world(place, {}), servers: [{ records: {} }, { records: rightAt(place) }] };
      assertCell(await (await connect(one, place)).check(one.record), [
        "SERVERS_DISAGREE",
        /ns2\.second\.net has an ALIAS from example\.com to d1\.cdn\.net, and ns1\.first\.net does not/,
      ]);
    });
  });

  describe("a name that only its registry answers for", () => {
    it("has no zone and no provider", async () => {
      const dns = await connect(FINDINGS.NOT_REGISTERED(WWW), WWW);
      assert.equal(await dns.findDelegation(WWW.name), null);
      assert.equal(await dns.findDelegation("example.com"), null);
    });

    it("may have a top-level domain that does not exist", async () => {
      const dns = await connect(FINDINGS.NOT_REGISTERED(WWW), WWW);
      assertCell(await dns.check({ type: "CNAME", name: "www.example.con", value: TARGET }), [
        "NOT_REGISTERED",
        /^example\.con is not in the DNS: it is not registered/,
      ]);
    });
  });
});
