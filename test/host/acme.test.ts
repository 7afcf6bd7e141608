import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { describe, test } from "node:test";
import { ACCOUNT, EDGE_HOST, startCa, startEngine, startWorld } from "../helpers/host/acme-fixture.ts";

describe("certificates by ACME", () => {
  test("are issued for names that lead here, each on its own, by http-01", async (t) => {
    const world = await startWorld(t);
    const ca = await startCa(t, world);
    const acme = await startEngine(t, world, { directory: ca.directory, caFile: ca.caPem });
    const names = ["a.example", "b.example", "www.c.example"];
    for (const name of names) world.names.set(name, "A", "127.0.0.1");
    world.names.set("www.c.example", "A");
    world.names.set("www.c.example", "CNAME", EDGE_HOST);
    const id = await acme.issue(...names);
    for (const name of names) {
      const pair = acme.certificates.keyPairFor(id, name);
      assert.ok(pair);
      const leaf = new X509Certificate(pair.certificatePem);
      assert.equal(leaf.subjectAltName, `DNS:${name}`);
    }
    const seen = acme.certificates.describe(ACCOUNT, id);
    assert.deepEqual(
      seen?.domains.map(({ validated }) => validated),
      [true, true, true],
    );
    assert.match(seen?.domains[2]?.record?.name ?? "", /^_acme-challenge\.www\.c\.example$/);
  });
});
