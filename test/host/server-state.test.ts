/** The state of an own server: its edges, certificates and orders, and what it says when something is wrong. */
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { startTestRemoteEdge } from "../../edge/src/testing.ts";
import type { OwnServerState } from "../../sandbox/src/host/server-state.ts";
import { acceptsConnections } from "../../sandbox/src/host/probe-ports.ts";
import { readOwnServer } from "../../src/cloud/sandbox/own-server.ts";
import type { CloudAccount } from "../../src/cloud/cloud.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { EDGE_HOSTNAME } from "../helpers/host/host-instance.ts";
import { type HostFixture, startHostFixture } from "../helpers/host/host-fixture.ts";
import { until } from "../helpers/until.ts";

const EDGE_SECRET = "a-secret-of-edges-that-is-long-enough";
const DAY_MS = 86_400_000;

describe("the state of an own server", () => {
  let aheadMs = 0;
  let fixture: HostFixture;
  let account: CloudAccount;
  before(async () => {
    fixture = await startHostFixture({
      edgeSecret: EDGE_SECRET,
      clock: { now: () => new Date(systemClock.now().getTime() + aheadMs) },
    });
    account = await fixture.connect();
  });
  after(() => fixture.stop());

  const read = async (isProbed = true): Promise<OwnServerState> =>
    await readOwnServer({ url: fixture.server.url, secret: fixture.secret }, { isProbed });

  it("is read with the secret only", async () => {
    assert.equal((await fetch(`${fixture.server.url}/host/state`)).status, 401);
  });

  it("has the edges, and which of them are silent or cannot be reached", async () => {
    const { http, https } = fixture.server.ports;
    const edge = await startTestRemoteEdge({
      addresses: ["127.0.0.1", "not an address"],
      controlUrl: fixture.server.url,
      secret: EDGE_SECRET,
      folder: path.join(fixture.folder, "edge"),
    });
    const ports: number[] = [];
    // Another program of this machine may use the usual ports, from which they may be forwarded.
    if (!(await acceptsConnections("127.0.0.1", 443))) ports.push(edge.port);
    if (!(await acceptsConnections("127.0.0.1", 80))) ports.push(edge.httpPort ?? 0);
    try {
      await until(
        async () => (await read()).edges[1]?.state === "CURRENT",
        "the edge reports what it serves",
      );
      const { hostname, edges, challengeZone } = await read();
      assert.equal(hostname, EDGE_HOSTNAME);
      assert.deepEqual(challengeZone, { name: `acme.${EDGE_HOSTNAME}`, problem: null });
      assert.deepEqual(
        edges.map(({ id, version, state, unreachable }) => [id, version, state, unreachable]),
        [
          ["main", edges[0]?.version, "CURRENT", []],
          ["far", "1.2.3", "CURRENT", []],
        ],
      );
      assert.deepEqual(edges[0]?.addresses, ["127.0.0.1"]);
      assert.notEqual(http, https);
    } finally {
      await edge.stop();
    }
    // Its last report may still arrive.
    const silent = await until(async () => {
      aheadMs += 61_000;
      const [, far] = (await read()).edges;
      return far?.state === "SILENT" && far;
    }, "the edge is silent");
    assert.deepEqual(
      silent.unreachable,
      ports.map((port) => `127.0.0.1:${port}`),
    );
    assert.deepEqual((await read(false)).edges[1]?.unreachable, [], "nothing is tried");
  });

  it("has the certificates in use, and who has to act for names that wait", async () => {
    const name = "served.example.com";
    fixture.names.set(name, "A", "127.0.0.1");
    const { id } = await fixture.cloud.certificates.request(account, { names: [name], token: "served" });
    await until(
      async () => (await fixture.cloud.certificates.describe(account, id))?.status === "ISSUED",
      "the certificate is issued",
    );
    assert.equal((await read(false)).certificates.total, 0, "it is not in use yet");
    const made = await fixture.cloud.distributions.create(account, { token: "t", origin: { kind: "none" } });
    const update = { aliases: [name], certificateId: id, enabled: true, etag: made.etag };
    await fixture.cloud.distributions.update(account, made.id, update);
    const other = "elsewhere.example.com";
    await fixture.cloud.certificates.request(account, { names: [other], token: "elsewhere" });
    const { orders, certificates, authorities } = await until(async () => {
      const seen = await read(false);
      return seen.orders.waitingForCustomer === 1 && seen.certificates.total === 2 && seen;
    }, "both names and the distribution's are known");
    const [waiting] = orders.first;
    assert.deepEqual([waiting?.name, waiting?.state, waiting?.waitsFor], [other, "WAITING", "CUSTOMER"]);
    assert.match(waiting?.problem?.message ?? "", /elsewhere\.example\.com has no address.* Point it to/);
    assert.deepEqual(
      certificates.first.map((one) => one.name).toSorted(),
      [made.domainName, name].toSorted(),
    );
    assert.ok(certificates.leastLifeLeft !== null && certificates.leastLifeLeft > 0.9);
    assert.equal(certificates.late, 0);
    assert.deepEqual(
      authorities.map(({ failures, problem, budgets }) => [failures, problem, budgets]),
      [[0, null, []]],
    );
  });

  it("says what to do if the zone of challenges does not lead here", async () => {
    fixture.names.delegate("another.zone.example", fixture.server.ports.dns);
    const { problem } = (await read()).challengeZone;
    assert.match(
      problem ?? "",
      /do not lead to the DNS server.* Set the DNS record acme\.\S+ NS edge\.\S+, and open port 53/,
    );
    fixture.names.delegate(`acme.${EDGE_HOSTNAME}`, fixture.server.ports.dns);
  });

  // Last, because the CA is stopped.
  it("counts renewals that are late, and says why", async () => {
    const [{ expiresAt } = { expiresAt: "" }] = (await read(false)).certificates.first;
    await fixture.pebble.stop();
    aheadMs = Date.parse(expiresAt) - Date.now() - DAY_MS;
    const { authorities, certificates, orders } = await until(async () => {
      const seen = await read(false);
      return seen.certificates.late === 2 && (seen.authorities[0]?.failures ?? 0) > 0 && seen;
    }, "the renewals fail");
    assert.ok(certificates.leastLifeLeft !== null && certificates.leastLifeLeft < 0.2);
    assert.match(authorities[0]?.problem?.message ?? "", /CA at https:/);
    assert.ok(orders.waitingForOperator + orders.waitingForCa + orders.ordering > 0);
  });
});
