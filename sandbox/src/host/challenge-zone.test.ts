import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Resolver } from "node:dns/promises";
import { type DnsServer, startDnsServer } from "../dns/dns-server.ts";
import { createChallengeZone } from "./challenge-zone.ts";

const ZONE = "acme.edge.example.com";
const NAME = `${"0123456789abcdef".repeat(2)}.${ZONE}`;

describe("the zone of delegated challenges", () => {
  let server: DnsServer;
  let resolver: Resolver;
  let texts: readonly string[] = ["one", "two"];
  before(async () => {
    const look = createChallengeZone({
      zone: ZONE,
      nameServer: "edge.example.com",
      textsAt: (name) => (name === NAME ? texts : []),
    });
    server = await startDnsServer(look, { host: "127.0.0.1", port: 0, portVariable: "PORT" });
    resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${server.port}`]);
  });
  after(() => server.stop());

  it("has the texts of challenges, at names in any case, and nothing else at them", async () => {
    assert.deepEqual(await resolver.resolveTxt(NAME), [["one"], ["two"]]);
    assert.deepEqual(await resolver.resolveTxt(NAME.toUpperCase()), [["one"], ["two"]]);
    await assert.rejects(resolver.resolve4(NAME), { code: "ENODATA" });
    texts = [];
    // The name may get a text at any time, so resolvers must not learn that it does not exist.
    await assert.rejects(resolver.resolveTxt(NAME), { code: "ENODATA" });
  });

  it("has its SOA and its name server", async () => {
    const { nsname, hostmaster } = await resolver.resolveSoa(ZONE);
    assert.deepEqual([nsname, hostmaster], ["edge.example.com", "hostmaster.edge.example.com"]);
    assert.deepEqual(await resolver.resolveNs(ZONE), ["edge.example.com"]);
  });

  it("has no other names, and refuses questions about other zones", async () => {
    await assert.rejects(resolver.resolveTxt(`x.${ZONE}`), { code: "ENOTFOUND" });
    await assert.rejects(resolver.resolveTxt(`a.${NAME}`), { code: "ENOTFOUND" });
    for (const name of ["edge.example.com", "example.com", `x${ZONE}`])
      await assert.rejects(resolver.resolveTxt(name), { code: "EREFUSED" });
  });
});
