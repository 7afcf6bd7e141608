/** Certificates of a public CA: the engine with a real Pebble, real DNS packets and real challenges. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import {
  ACCOUNT,
  EDGE_HOST,
  type RunningAcme,
  startCa,
  startEngine,
  startWorld,
} from "../helpers/host/acme-fixture.ts";
import { until } from "../helpers/until.ts";

const leafOf = (acme: RunningAcme, id: string, name: string): X509Certificate => {
  const pair = acme.certificates.keyPairFor(id, name);
  assert.ok(pair, `there is a key pair for ${name}`);
  return new X509Certificate(pair.certificatePem);
};
const recordOf = (acme: RunningAcme, id: string) => {
  const record = acme.certificates.describe(ACCOUNT, id)?.domains[0]?.record;
  assert.ok(record);
  return record;
};
const ordersOf = (log: string): number => [...log.matchAll(/POST \/order-plz/g)].length;

describe("certificates by ACME", { concurrency: 3 }, () => {
  test("are issued for names that lead here, each with its own key, by http-01", async (t) => {
    const world = await startWorld(t);
    const ca = await startCa(t, world, { nonceReject: 30 });
    const acme = await startEngine(t, world, { directory: ca.directory, caFile: ca.caPem });
    const names = ["a.example", "b.example", "www.c.example"];
    for (const name of names.slice(0, 2)) world.names.set(name, "A", "127.0.0.1");
    world.names.set("www.c.example", "CNAME", EDGE_HOST);
    const id = await acme.issue(...names);
    const root = new X509Certificate(await ca.rootPem());
    const keys = new Set<string>();
    for (const name of names) {
      const pair = acme.certificates.keyPairFor(id, name);
      const [leaf = "", issuer = ""] = (pair?.certificatePem ?? "").split(/(?<=-----END CERTIFICATE-----\n)/);
      assert.equal(new X509Certificate(leaf).subjectAltName, `DNS:${name}`);
      assert.ok(new X509Certificate(issuer).verify(root.publicKey), "the chain ends at Pebble's root");
      keys.add(pair?.privateKeyPem ?? "");
    }
    assert.equal(keys.size, 3);
    assert.ok(acme.certificates.isUsable(id, ACCOUNT, names));
    assert.ok(!acme.certificates.isUsable(id, "999999999999", names));
    assert.deepEqual(acme.status().orders, []);
    // Nothing on the disk has a private key in clear text, whatever is in the write-ahead log.
    for (const file of readdirSync(world.folder)) {
      const bytes = readFileSync(path.join(world.folder, file), "latin1");
      assert.ok(!bytes.includes("PRIVATE KEY"), file);
    }
  });

  test("wait for a name that does not lead here, without an order, and follow its record", async (t) => {
    const world = await startWorld(t);
    const ca = await startCa(t, world, { nonceReject: 0 });
    const acme = await startEngine(t, world, { directory: ca.directory, caFile: ca.caPem });
    world.names.set("late.example", "A", "127.0.0.9");
    const { id } = acme.certificates.request(ACCOUNT, ["late.example"], "late");
    const waiting = await until(() => acme.status().waiting[0], "the look has an outcome");
    assert.match(
      waiting.error.message,
      /^late\.example leads to 127\.0\.0\.9, not to this edge\. Point it to/,
    );
    assert.match(waiting.error.message, /or set _acme-challenge\.late\.example as a CNAME to [0-9a-f]{32}\./);
    assert.equal(acme.statusOf(id), "PENDING_VALIDATION");
    assert.equal(ordersOf(ca.log()), 0, "no order was used up");
    world.names.set("late.example", "A", "127.0.0.1");
    const setAt = performance.now();
    await until(() => acme.statusOf(id) === "ISSUED", "the certificate is issued");
    const tookMs = performance.now() - setAt;
    t.diagnostic(`from the record to the certificate: ${Math.round(tookMs)} ms`);
    assert.equal(ordersOf(ca.log()) > 0, true);
  });

  test("of a wildcard, and of a name elsewhere, come by the delegated record", async (t) => {
    const world = await startWorld(t);
    const ca = await startCa(t, world);
    const acme = await startEngine(t, world, { directory: ca.directory, caFile: ca.caPem });
    world.names.set("elsewhere.example", "A", "192.0.2.7");
    const wild = acme.certificates.request(ACCOUNT, ["*.wild.example", "wild.example"], "w").id;
    const elsewhere = acme.certificates.request(ACCOUNT, ["elsewhere.example"], "e").id;
    for (const id of [wild, elsewhere]) {
      const record = recordOf(acme, id);
      world.names.set(record.name, record.type, record.value);
    }
    assert.equal(recordOf(acme, wild).name, "_acme-challenge.wild.example");
    for (const id of [wild, elsewhere]) await until(() => acme.statusOf(id) === "ISSUED", "it is issued");
    assert.equal(leafOf(acme, wild, "shop.wild.example").subjectAltName, "DNS:*.wild.example");
    assert.equal(leafOf(acme, wild, "wild.example").subjectAltName, "DNS:wild.example");
    assert.equal(acme.certificates.keyPairFor(wild, "a.shop.wild.example"), null);
    // Set once: the next request finds the record.
    const orders = ordersOf(ca.log());
    assert.equal(acme.certificates.delete(ACCOUNT, elsewhere), "in-use");
    acme.certificates.request(ACCOUNT, ["*.wild.example"], "again");
    assert.equal(ordersOf(ca.log()), orders, "a name that has a certificate needs no order");
  });

  test("come by tls-alpn-01 when port 80 does not lead here", async (t) => {
    const world = await startWorld(t);
    const ca = await startCa(t, world);
    world.edge.answerHttp(false);
    const acme = await startEngine(t, world, { directory: ca.directory, caFile: ca.caPem });
    world.names.set("alpn.example", "A", "127.0.0.1");
    const id = await acme.issue("alpn.example");
    assert.equal(leafOf(acme, id, "alpn.example").subjectAltName, "DNS:alpn.example");
    assert.equal(acme.challenges.alpnPair("alpn.example"), null, "the answer is removed afterwards");
  });

  test("are refused by CAA records before an order", async (t) => {
    const world = await startWorld(t);
    const ca = await startCa(t, world);
    const config = { directory: ca.directory, caFile: ca.caPem, caaIdentities: ["pebble.letsencrypt.org"] };
    const acme = await startEngine(t, world, config);
    for (const name of ["no.example", "yes.example"]) world.names.set(name, "A", "127.0.0.1");
    world.names.set("no.example", "CAA", '0 issue "other.example"');
    world.names.set("yes.example", "CAA", '0 issue "pebble.letsencrypt.org"');
    await acme.issue("yes.example");
    const { id } = acme.certificates.request(ACCOUNT, ["no.example"], "no");
    await until(() => acme.statusOf(id) === "FAILED", "it fails");
    const seen = acme.certificates.describe(ACCOUNT, id);
    assert.equal(seen?.failureReason, "CAA_ERROR");
    assert.deepEqual(
      seen?.domains.map(({ failed }) => failed),
      [true],
    );
    const [{ error } = {}] = acme.status().waiting;
    assert.match(
      error?.message ?? "",
      /Add a CAA record at no\.example with the value 0 issue "pebble\.letsencrypt\.org"\.$/,
    );
    assert.doesNotMatch(ca.log(), /no\.example/);
  });

  test("need the external account that the CA asks for", async (t) => {
    const world = await startWorld(t);
    const hmac = Buffer.from("a key of thirty-two octets ......").toString("base64url");
    const ca = await startCa(t, world, { externalAccounts: { "kid-1": hmac } });
    world.names.set("eab.example", "A", "127.0.0.1");
    const config = { directory: ca.directory, caFile: ca.caPem };
    const wrong = await startEngine(t, world, {
      ...config,
      eab: { kid: "kid-1", hmac: Buffer.from("another key").toString("base64url") },
    });
    const { id } = wrong.certificates.request(ACCOUNT, ["eab.example"], "t");
    const error = await until(() => wrong.status().directories[0]?.error, "the CA refuses");
    assert.match(error.message, /refuses an account .* Check SLIPWAY_ACME_EAB_KID and SLIPWAY_ACME_EAB_HMAC/);
    assert.ok(!error.message.includes(hmac));
    assert.equal(wrong.statusOf(id), "PENDING_VALIDATION");
    await wrong.stop();
    const seal = wrong.seal;
    const right = await startEngine(t, world, { ...config, eab: { kid: "kid-1", hmac } }, { seal });
    await until(() => right.statusOf(id) === "ISSUED", "it is issued with the right key");
  });

  test("come from the second CA while the first is down", async (t) => {
    const world = await startWorld(t);
    const second = await startCa(t, world);
    const first = await startCa(t, world);
    await first.kill();
    const acme = await startEngine(t, world, {
      directory: first.directory,
      fallbackDirectory: second.directory,
      caFile: first.caPem + second.caPem,
    });
    world.names.set("two.example", "A", "127.0.0.1");
    await acme.issue("two.example");
    assert.equal(acme.status().certificates[0]?.directory, second.directory);
    assert.match(acme.status().directories[0]?.error?.message ?? "", /cannot be reached \(ECONNREFUSED\)/);
  });

  test("are renewed in time on a clock that runs ahead, and the old one serves until then", async (t) => {
    const world = await startWorld(t);
    const ca = await startCa(t, world, { more: { certificateValidityPeriod: 90 * 86_400 } });
    let aheadMs = 0;
    const now = () => Date.now() + aheadMs;
    const acme = await startEngine(t, world, { directory: ca.directory, caFile: ca.caPem }, { now });
    world.names.set("renew.example", "A", "127.0.0.1");
    const id = await acme.issue("renew.example");
    const before = leafOf(acme, id, "renew.example").serialNumber;
    assert.equal(acme.certificates.describe(ACCOUNT, id)?.renewalStatus, null);
    world.names.set("renew.example", "A", "127.0.0.9");
    aheadMs = 61 * 86_400_000;
    await until(
      () => acme.certificates.describe(ACCOUNT, id)?.renewalStatus === "PENDING_VALIDATION",
      "the renewal waits for the name",
    );
    assert.equal(leafOf(acme, id, "renew.example").serialNumber, before);
    assert.equal(acme.statusOf(id), "ISSUED");
    world.names.set("renew.example", "A", "127.0.0.1");
    aheadMs += 6 * 60_000;
    await until(
      () => leafOf(acme, id, "renew.example").serialNumber !== before,
      "another certificate serves",
    );
    // For the CA, it is still day one, so the new certificate looks old here; that must not order another.
    const orders = ordersOf(ca.log());
    aheadMs += 3_600_000;
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    assert.equal(ordersOf(ca.log()), orders);
    assert.match(
      acme.status().certificates[0]?.error?.message ?? "",
      /clock is \d+ minutes ahead of the CA's/,
    );
  });

  test("do not expire while the first CA is down for the rest of their time: the second renews", async (t) => {
    const world = await startWorld(t);
    const more = { certificateValidityPeriod: 90 * 86_400 };
    const [first, second] = [await startCa(t, world, { more }), await startCa(t, world, { more })];
    let aheadMs = 0;
    const config = {
      directory: first.directory,
      fallbackDirectory: second.directory,
      caFile: first.caPem + second.caPem,
    };
    const acme = await startEngine(t, world, config, { now: () => Date.now() + aheadMs });
    world.names.set("down.example", "A", "127.0.0.1");
    const id = await acme.issue("down.example");
    assert.equal(acme.status().certificates[0]?.directory, first.directory);
    await first.kill();
    aheadMs = 59 * 86_400_000;
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    assert.equal(ordersOf(second.log()), 0, "it is not time yet");
    const statuses = new Set<string | undefined>();
    for (let day = 60; day < 90 && ordersOf(second.log()) === 0; day += 1) {
      aheadMs = day * 86_400_000;
      await new Promise((resolve) => setTimeout(resolve, 700));
      statuses.add(acme.statusOf(id));
    }
    await until(() => acme.status().certificates[0]?.directory === second.directory, "the second CA renews");
    assert.deepEqual([...statuses], ["ISSUED"]);
    assert.ok((acme.certificates.describe(ACCOUNT, id)?.expiresAt ?? 0) > Date.now() + aheadMs);
  });
});
