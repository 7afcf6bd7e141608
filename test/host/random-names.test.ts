/** Handshakes with names that no customer registered: they cost neither an order at the CA nor a write. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { connect } from "node:tls";
import { type HostFixture, startHostFixture } from "../helpers/host/host-fixture.ts";
import { until } from "../helpers/until.ts";

const FULL = process.env["SLIPWAY_TEST_FULL"] === "1";
const HANDSHAKES = FULL ? 10_000 : 400;
const AT_ONCE = 20;
const WILDCARD = "*.tenants.example";

describe("an own server that is asked for random names", () => {
  let fixture: HostFixture;
  let ca: string;
  before(async () => {
    fixture = await startHostFixture({ isolation: "none" });
    ca = await fixture.pebble.rootPem();
    const account = await fixture.connect();
    const { id } = await fixture.cloud.certificates.request(account, { names: [WILDCARD], token: "w" });
    const seen = await fixture.cloud.certificates.describe(account, id);
    const record = seen?.domains[0]?.record;
    assert.ok(record);
    fixture.names.set(record.name, "CNAME", record.value);
    await until(
      async () => (await fixture.cloud.certificates.describe(account, id))?.status === "ISSUED",
      "the wildcard has its certificate",
      30_000,
    );
    const made = await fixture.cloud.distributions.create(account, { token: "d", origin: { kind: "none" } });
    const update = { aliases: [WILDCARD], certificateId: id, enabled: true, etag: made.etag };
    await fixture.cloud.distributions.update(account, made.id, update);
    // The wildcard's and the one of the distribution's own name.
    await until(() => certificates() === 2 && orders() === 2, "no order is under way");
  });
  after(() => fixture.stop());

  const count = (pattern: RegExp): number => [...fixture.pebble.log().matchAll(pattern)].length;
  const orders = () => count(/Added order/g);
  const certificates = () => count(/Issued certificate/g);

  /** @returns the serial number that is presented; null if the handshake is refused */
  async function greet(servername: string): Promise<string | null> {
    const { https: port } = fixture.server.ports;
    const socket = connect({ host: "127.0.0.1", port, servername, ca });
    try {
      await once(socket, "secureConnect");
      return socket.getPeerCertificate().serialNumber;
    } catch (error) {
      assert.match(String(error), /handshake failure|ECONNRESET/);
      return null;
    } finally {
      socket.destroy();
    }
  }

  async function greetAll(nameOf: () => string): Promise<ReadonlySet<string | null>> {
    const serials = new Set<string | null>();
    for (let done = 0; done < HANDSHAKES; done += AT_ONCE) {
      for (const serial of await Promise.all(Array.from({ length: AT_ONCE }, () => greet(nameOf()))))
        serials.add(serial);
    }
    return serials;
  }
  const label = (): string => randomBytes(8).toString("hex");

  it(`${HANDSHAKES} below a wildcard share its certificate, and order none`, async (t) => {
    const before = orders();
    const startedAt = performance.now();
    const serials = await greetAll(() => `${label()}.tenants.example`);
    t.diagnostic(`${Math.round((performance.now() - startedAt) / HANDSHAKES)} ms for each handshake`);
    assert.equal(serials.size, 1);
    assert.ok(!serials.has(null));
    assert.equal(orders(), before);
  });

  it(`${HANDSHAKES} unknown ones are refused, without an order and without a certificate`, async (t) => {
    const before = orders();
    const startedAt = performance.now();
    const names = ["example", "deep.tenants.example", "tenants.example.net"];
    const serials = await greetAll(() => `${label()}.${names[Math.floor(Math.random() * names.length)]}`);
    t.diagnostic(`${Math.round((performance.now() - startedAt) / HANDSHAKES)} ms for each refusal`);
    assert.deepEqual([...serials], [null]);
    assert.equal(orders(), before);
  });
});
