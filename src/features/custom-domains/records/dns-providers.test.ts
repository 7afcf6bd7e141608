import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { panelFormOf, providerOf } from "./dns-providers.ts";

describe("the provider of a zone", () => {
  const nameOf = (...servers: readonly string[]) => providerOf(servers).name;

  it("is known by the ends of its name servers' names", () => {
    assert.equal(nameOf("amy.ns.cloudflare.com", "bob.ns.cloudflare.com"), "Cloudflare");
    assert.equal(nameOf("ns-1.awsdns-00.com", "ns-2.awsdns-12.co.uk"), "Amazon Route 53");
    assert.equal(nameOf("ns61.domaincontrol.com"), "GoDaddy");
    assert.equal(nameOf("ns1045.ui-dns.de", "ns1099.ui-dns.biz"), "IONOS");
    assert.equal(nameOf("ns1-05.azure-dns.com", "ns2-05.azure-dns.net"), "Azure DNS");
    assert.equal(nameOf("helium.ns.hetzner.de", "hydrogen.ns.hetzner.com"), "Hetzner");
  });

  it("is unknown, with all that depends on it, where no name server is known", () => {
    const provider = providerOf(["ns1.example.net", "notcloudflare.com", "evil-awsdns-00.com.example.org"]);
    assert.deepEqual(provider, {
      name: null,
      panelUrl: null,
      quirks: [],
      supports: { alias: null, caa: null },
      aliasType: "ALIAS",
    });
    assert.equal(providerOf([]).name, null);
  });

  it("is not taken from a part of a label", () => {
    assert.equal(nameOf("ns1.mygandi.net"), null);
    assert.equal(nameOf("ns1.myawsdns-01.com"), null);
  });

  it("lists several, of which no panel is the right one", () => {
    const provider = providerOf(["amy.ns.cloudflare.com", "ns61.domaincontrol.com"]);
    assert.equal(provider.name, "Cloudflare, GoDaddy");
    assert.equal(provider.panelUrl, null);
    assert.deepEqual(provider.quirks, ["SEVERAL_PROVIDERS"]);
    // GoDaddy would refuse it.
    assert.equal(provider.supports.alias, false);
  });

  it("says nothing of a panel where one of the name servers is unknown", () => {
    const provider = providerOf(["amy.ns.cloudflare.com", "ns1.example.net"]);
    assert.deepEqual([provider.name, provider.panelUrl], ["Cloudflare", null]);
    assert.equal(provider.supports.alias, null);
  });
});

describe("a record in a panel", () => {
  const apex = { type: "ALIAS", relativeName: "@", value: "d1.cloudfront.net" };
  const www = { type: "CNAME", relativeName: "www", value: "d1.cloudfront.net" };
  const form = (server: string, record: typeof apex) => panelFormOf(providerOf([server]), record);

  it("has the provider's word for an ALIAS, and its name for the zone itself", () => {
    assert.deepEqual(form("a.ns.cloudflare.com", apex), { type: "CNAME", host: "@", value: apex.value });
    assert.deepEqual(form("ns-1.awsdns-01.org", apex), { type: "A", host: "", value: apex.value });
  });

  it("needs no form of its own where the panel wants what it says", () => {
    for (const record of [apex, www]) assert.equal(form("ns1.example.net", record), null);
    assert.equal(form("ns-1.awsdns-01.org", www), null);
  });

  it("has the dot that a panel needs, only after host names", () => {
    assert.deepEqual(form("ns-1-a.gandi.net", www), {
      type: "CNAME",
      host: "www",
      value: "d1.cloudfront.net.",
    });
    const caa = { type: "CAA", relativeName: "@", value: '0 issue "amazon.com"' };
    assert.equal(form("ns-1-a.gandi.net", caa), null);
  });
});
