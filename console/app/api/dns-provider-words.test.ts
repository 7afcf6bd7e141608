import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DnsProvider, DnsRecord, Domain } from "../../../sdk/src/generated/types.ts";
import { tellDnsWays } from "./dns-provider-words.ts";

const record = (change: Partial<DnsRecord> = {}): DnsRecord => ({
  purpose: "SERVICE_CONNECTION",
  status: "PENDING",
  type: "CNAME",
  name: "www.example.com",
  relativeName: "www",
  zone: "example.com",
  value: "d1.cdn.example.net",
  panelForm: null,
  accountZone: null,
  setWhen: "NOW",
  lastPropagationCheckAt: null,
  lastPropagationCheckValue: null,
  lastPropagationCheckError: null,
  ...change,
});
const provider = (change: Partial<DnsProvider> = {}): DnsProvider => ({
  name: "Cloudflare",
  nameServers: ["amy.ns.cloudflare.com"],
  panelUrl: "https://dash.cloudflare.com/",
  quirks: ["PROXY_MUST_BE_OFF", "APEX_HOST_IS_EMPTY"],
  supports: { alias: true, domainConnect: false, caa: true },
  ...change,
});
type Seen = Pick<Domain, "name" | "status" | "dnsProvider" | "dnsRecords" | "warnings">;
const domain = (change: Partial<Seen> = {}): Seen => ({
  name: "www.example.com",
  status: "ATTACHED",
  dnsProvider: provider(),
  dnsRecords: [record()],
  warnings: [],
  ...change,
});

describe("the way to set DNS records", () => {
  it("names the provider with its panel, and hints of an apex only to an apex", () => {
    const [way] = tellDnsWays([domain()], false);
    assert.equal(way?.says, "Set them at Cloudflare, as the table says.");
    assert.equal(way?.panelUrl, "https://dash.cloudflare.com/");
    assert.equal(way?.hints.length, 1);
    const [apex] = tellDnsWays([domain({ dnsRecords: [record({ type: "ALIAS" })] })], false);
    assert.equal(apex?.hints.length, 2);
  });

  it("is shown once for all domains that have it, and not for domains that need nothing", () => {
    const done = domain({ name: "done.example.com", dnsRecords: [record({ status: "OK" })] });
    const ways = tellDnsWays([domain(), done, domain({ name: "shop.example.com" })], false);
    assert.deepEqual(
      ways.map(({ names }) => names),
      [["www.example.com", "shop.example.com"]],
    );
  });

  it("leaves the records to Slipway, unless it cannot set them", () => {
    assert.match(String(tellDnsWays([domain()], true)[0]?.says), /^Slipway sets them/);
    const warnings = [{ code: "DNS_ZONE_NOT_FOUND", message: "", action: "" }] as const;
    assert.match(String(tellDnsWays([domain({ warnings })], true)[0]?.says), /^Set them at Cloudflare/);
    const dnsRecords = [record({ type: "CAA" })];
    assert.match(String(tellDnsWays([domain({ dnsRecords })], true)[0]?.says), /^Set them at Cloudflare/);
  });

  it("prefers a provider that sets them itself, and names the servers of an unknown one", () => {
    const supports = { alias: true, domainConnect: true, caa: true };
    const [connects] = tellDnsWays([domain({ dnsProvider: provider({ supports }) })], false);
    assert.equal(connects?.says, "Cloudflare sets them once you agree there.");
    const [unknown] = tellDnsWays([domain({ dnsProvider: provider({ name: null }) })], false);
    assert.match(String(unknown?.says), /unknown.*amy[.]ns[.]cloudflare[.]com/);
  });
});
