/**
 * The situation of a broken signature, for every finding, with BIND as the signing authority and as the resolver that
 * validates. The other situations are in `src/dns/advice.test.ts`.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Dns, PropagationErrorCode } from "../../src/dns/dns.ts";
import { createDns } from "../../src/dns/resolver.ts";
import type { DnsServer } from "../../src/dns/wire/servers.ts";
import {
  brokenOff,
  type Script,
  silent,
  startDnsServer,
  withRcode,
} from "../helpers/customers/dns-server.ts";
import { FINDINGS, type Place, TARGET, TARGET_ADDRESS } from "../helpers/customers/dns-worlds.ts";
import { type Bind, type BindFolder, openBind, type SignedZone, type Signing } from "./bind.ts";

type Finding = keyof typeof FINDINGS;

const SIGNINGS: readonly Signing[] = ["valid", "expired", "unsigned", "another-key"];
/** Findings that a zone's content causes. The other findings say that no server of the zone answered for it. */
const BY_CONTENT: readonly Finding[] = [
  "OK",
  "NOT_FOUND",
  "WILDCARD_ENDED",
  "WRONG_VALUE",
  "ZONE_NAME_DOUBLED",
  "PROXIED",
  "CONFLICTING_RECORDS",
  "CNAME_LOOP",
  "CAA_REFUSES",
  "SERVERS_DISAGREE",
];
/** How the servers of a signed zone fail, and the finding. Nothing is known of its signature then. */
const BY_SERVER: Readonly<Record<string, readonly [script: Script, says: PropagationErrorCode]>> = {
  "answer SERVFAIL": [withRcode(2), "DELEGATION_BROKEN"],
  "answer REFUSED": [withRcode(5), "DELEGATION_BROKEN"],
  "are silent": [silent, "TIMEOUT"],
  "send invalid messages": [brokenOff, "DELEGATION_BROKEN"],
};

describe("a zone with DNSSEC", () => {
  const stops: (() => Promise<unknown>)[] = [];
  let bind: BindFolder;
  let root: DnsServer;
  let provider: Bind;
  let dns: Dns;
  const zoneOf = (about: string, signing: Signing): string =>
    `${about.toLowerCase().replaceAll(/[_ ]/g, "-")}-${signing}.com`;
  const placeIn = (zone: string): Place => ({ name: `www.${zone}`, zone, type: "CNAME" });

  before(async () => {
    bind = await openBind();
    stops.push(() => bind.remove());
    const signed = await Promise.all(
      BY_CONTENT.flatMap((finding) =>
        SIGNINGS.map((signing) => {
          const name = zoneOf(finding, signing);
          const records = FINDINGS[finding](placeIn(name)).servers[0]?.records ?? {};
          return bind.sign({ name, records, signing });
        }),
      ),
    );
    provider = await bind.serve(signed);
    stops.push(() => provider.stop());
    const second = await serve({ zones: signed.map(({ name }) => name) });
    const failing = await Promise.all(
      Object.entries(BY_SERVER).map(async ([fault, [script]], index) => {
        const zone = await bind.sign({ name: zoneOf(fault, "valid"), records: {}, signing: "valid" });
        return { zone, at: await serve({ scripts: { "*": script } }), address: `198.51.100.${index + 10}` };
      }),
    );
    const first = { "ns1.first.net": "198.51.100.1" };
    const registry = await serve({
      zones: ["com"],
      delegations: {
        ...Object.fromEntries(
          signed.map(({ name }) => [
            name,
            name.startsWith("servers-disagree") ? { ...first, "ns2.second.net": "198.51.100.2" } : first,
          ]),
        ),
        ...Object.fromEntries(
          failing.map(({ zone, address }) => [zone.name, { [`ns.${zone.name}`]: address }]),
        ),
      },
    });
    root = await serve({
      records: {
        "com NS": ["ns.registry.net"],
        "ns.registry.net A": ["198.51.100.9"],
        "ns1.first.net A": ["198.51.100.1"],
        "ns2.second.net A": ["198.51.100.2"],
        [`${TARGET} A`]: [TARGET_ADDRESS],
      },
    });
    const forwards: { readonly zone: SignedZone; readonly at: DnsServer }[] = [
      ...signed.map((zone) => ({ zone, at: provider })),
      ...failing,
    ];
    const resolver = await bind.resolve(forwards, root);
    stops.push(() => resolver.stop());
    const places = new Map<string, DnsServer>([
      ["198.51.100.1", provider],
      ["198.51.100.2", second],
      ["198.51.100.9", registry],
      ...failing.map(({ address, at }) => [address, at] as const),
    ]);
    dns = createDns({
      servers: [resolver],
      timeoutMs: 1_500,
      deadlineMs: 20_000,
      route: (address) => [places.get(address) ?? []].flat(),
    });
    stops.push(() => dns.close());
  });
  after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  async function serve(content: Partial<Parameters<typeof startDnsServer>[0]>): Promise<DnsServer> {
    const server = await startDnsServer({ zones: [""], records: {}, ...content });
    stops.push(() => server.stop());
    return server;
  }

  for (const signing of SIGNINGS) {
    describe(`that is signed: ${signing}`, () => {
      for (const finding of BY_CONTENT) {
        const says = signing === "valid" ? finding : "DNSSEC_BROKEN";
        it(`and the finding would be ${finding}: ${says}`, async () => {
          const zone = zoneOf(finding, signing);
          const { error } = await dns.check(FINDINGS[finding](placeIn(zone)).record);
          assert.equal(error?.code ?? "OK", says, error?.message);
          if (signing === "valid") return;
          assert.match(error?.message ?? "", new RegExp(`^The DNSSEC signature of ${zone} is broken`));
          assert.match(error?.message ?? "", /At the registrar, remove the DS records/);
        });
      }

      it("is delegated as before", async () => {
        const zone = zoneOf("OK", signing);
        assert.deepEqual(await dns.findDelegation(`www.${zone}`), { zone, nameServers: ["ns1.first.net"] });
      });

      it("has a signature for an ALIAS too", async () => {
        const zone = zoneOf("PROXIED", signing);
        const { error } = await dns.check({ type: "ALIAS", name: `www.${zone}`, value: TARGET });
        assert.equal(error?.code, signing === "valid" ? "PROXIED" : "DNSSEC_BROKEN");
      });
    });
  }

  for (const [fault, [, says]] of Object.entries(BY_SERVER)) {
    it(`is not called broken if its servers ${fault}`, async () => {
      const { error } = await dns.check(FINDINGS.OK(placeIn(zoneOf(fault, "valid"))).record);
      assert.equal(error?.code, says, error?.message);
    });
  }

  it("is not called broken if it is not registered", async () => {
    const { error } = await dns.check(FINDINGS.OK(placeIn("unregistered-name.com")).record);
    assert.equal(error?.code, "NOT_REGISTERED", error?.message);
  });

  it("is broken for a resolver that validates, whatever others beside it say", async () => {
    const zone = zoneOf("OK", "expired");
    const one = await bind.sign({ name: zone, records: {}, signing: "valid" });
    const validating = await bind.resolve([{ zone: one, at: provider }], root);
    stops.push(() => validating.stop());
    const credulous = await serve({
      records: { [`${zone} NS`]: ["ns1.first.net"], "ns1.first.net A": ["198.51.100.1"] },
    });
    const both = createDns({
      servers: [credulous, validating],
      timeoutMs: 1_500,
      route: () => [provider],
    });
    stops.push(() => both.close());
    for (let time = 0; time < 4; time += 1) {
      const { error } = await both.check(FINDINGS.OK(placeIn(zone)).record, { isFresh: true });
      assert.equal(error?.code, "DNSSEC_BROKEN", `check ${time}`);
    }
  });
});
