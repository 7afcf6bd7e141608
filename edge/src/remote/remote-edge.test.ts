import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { CloudAccount, Origin } from "../../../src/cloud/cloud.ts";
import { instantTuning } from "../../../sandbox/src/tuning.ts";
import { getFromEdge } from "../../../test/helpers/sandbox/edge-client.ts";
import { type SandboxFixture, startFixture } from "../../../test/helpers/sandbox/sandbox-fixture.ts";
import { until } from "../../../test/helpers/until.ts";
import { startTestOrigin, startTestRemoteEdge } from "../testing.ts";
import { createControl } from "./control.ts";
import { deriveEdgeKeys, EdgeSecretError } from "./keys.ts";
import type { RemoteEdge, RemoteEdgeOptions } from "./remote-edge.ts";
import { partOf } from "./parts.ts";
import { createTrafficBatches, MAX_COUNTS } from "./report.ts";

const SECRET = "a-secret-of-edges-that-is-long-enough";

async function start(
  t: TestContext,
  fixture: SandboxFixture,
  folder: string,
  more: Partial<RemoteEdgeOptions> = {},
): Promise<RemoteEdge> {
  const edge = await startTestRemoteEdge({
    controlUrl: fixture.server.url,
    secret: SECRET,
    folder,
    ...more,
  });
  t.after(() => edge.stop());
  return edge;
}

async function serve(
  fixture: SandboxFixture,
  name: string,
  origin: Origin,
): Promise<{ account: CloudAccount; id: string }> {
  const account = await fixture.connect();
  const certificateId = await fixture.issue(account, [name], name);
  const { id, etag } = await fixture.cloud.distributions.create(account, { token: name, origin });
  await fixture.cloud.distributions.update(account, id, {
    aliases: [name],
    certificateId,
    enabled: true,
    etag,
  });
  return { account, id };
}

const DEMO: Origin = {
  kind: "repository",
  repoUrl: "https://git.sandbox.test/demo.git",
  branch: "main",
  directory: "public",
};

test("an edge on another machine", { timeout: 60_000 }, async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-edge-"));
  t.after(() => rm(folder, { recursive: true }));
  const fixture = await startFixture({
    tuning: instantTuning,
    allowedOrigins: ["127.0.0.1"],
    edgeSecret: SECRET,
  });
  let isUp = true;
  t.after(() => (isUp ? fixture.stop() : undefined));
  const { caCertificatePem } = fixture.server;
  const origin = await startTestOrigin(
    t,
    createServer((request, response) =>
      response.end(`${request.url} for ${String(request.headers["x-forwarded-for"])}`),
    ),
  );
  const first = await serve(fixture, "far.example", { kind: "host", hostname: origin });
  const warnings: string[] = [];
  const log = { info: () => {}, warn: (_fields: object, message: string) => void warnings.push(message) };
  let edge = await start(t, fixture, folder, { log });
  const get = (name: string, at = "/") =>
    getFromEdge({ edgePort: edge.port, caCertificatePem }, name, { path: at });
  const comes = (name: string) =>
    until(
      () =>
        get(name).then(
          () => true,
          () => false,
        ),
      `${name} is served`,
    );

  await t.test("serves what the control plane has, and what comes later", async () => {
    await comes("far.example");
    assert.equal((await get("far.example", "/a")).body, "/a for 127.0.0.1");
    await serve(fixture, "late.example", { kind: "host", hostname: origin });
    await comes("late.example");
    await assert.rejects(get("unknown.example"), /handshake/);
  });

  await t.test("forwards to the main machine what only that has", async () => {
    await serve(fixture, "files.example", DEMO);
    await comes("files.example");
    const page = await get("files.example");
    assert.equal(page.status, 200, page.body);
    assert.match(page.body, /It floats/);
  });

  await t.test("serves previews by the routes of their distribution, and counts each apart", async () => {
    const origins = { kind: "previews", environmentId: "env_1" } as const;
    const { account, id } = await serve(fixture, "*.previews.example", origins);
    const { distributions } = fixture.cloud;
    const route = async (labels: readonly string[]) => {
      const seen = await distributions.describe(account, id);
      assert.ok(seen);
      const { aliases, certificateId, enabled, etag } = seen;
      const routes = Object.fromEntries(labels.map((label) => [label, { hostname: origin }]));
      await distributions.update(account, id, { aliases, certificateId, enabled, routes, etag });
    };
    await route(["site-pr-1", "site-pr-2"]);
    await until(
      async () =>
        (await get("site-pr-2.previews.example", "/a").catch(() => null))?.body === "/a for 127.0.0.1",
      "the route is there",
    );
    assert.equal((await get("site-pr-1.previews.example", "/b")).body, "/b for 127.0.0.1");
    const unknown = await get("site-pr-3.previews.example");
    assert.deepEqual([unknown.status, unknown.body.includes("no preview at this address")], [404, true]);
    const countOf = async (site: string) =>
      (await distributions.traffic(account, [site], new Date(0)))?.minutes.reduce(
        (sum, { requests }) => sum + requests,
        0,
      );
    await until(async () => (await countOf(`${id}/site-pr-1`)) === 1, "its own request is counted");
    await route(["site-pr-1"]);
    await until(
      async () => (await get("site-pr-2.previews.example")).status === 404,
      "the removed route is forgotten",
    );
  });

  await t.test("reports itself, and its traffic once", async () => {
    const reported = await until(() => fixture.server.edges().find(({ isCurrent }) => isCurrent), "a report");
    assert.deepEqual(
      [reported.id, reported.addresses, reported.version, reported.names],
      ["far", ["192.0.2.7"], "1.2.3", edge.names()],
    );
    assert.deepEqual(reported.ports, { http: edge.httpPort, https: edge.port });
    const { account, id } = first;
    const count = async () => {
      const traffic = await fixture.cloud.distributions.traffic(account, [id], new Date(0));
      return traffic?.minutes.reduce((sum, { requests }) => sum + requests, 0) ?? 0;
    };
    const before = await count();
    for (let i = 0; i < 5; i += 1) await get("far.example");
    await until(async () => (await count()) >= before + 5, "its traffic");
    assert.equal(await count(), before + 5);
  });

  await t.test("keeps a copy that only its owner reads, and nothing of it in clear text", async () => {
    const copy = path.join(folder, "names");
    const file = path.join(copy, `${partOf("far.example")}.sealed`);
    await until(() => existsSync(file), "the copy");
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    for (const name of await readdir(copy))
      assert.doesNotMatch(await readFile(path.join(copy, name), "latin1"), /PRIVATE KEY|far\.example/);
    await assert.rejects(
      start(t, fixture, folder, { secret: `${SECRET} not` }),
      (error) =>
        error instanceof EdgeSecretError && error.message.startsWith(`The copy in ${copy} is damaged`),
    );
  });

  await t.test("serves what it cannot save, says why, and saves again", async () => {
    const file = path.join(folder, "names", `${partOf("unsaved.example")}.sealed`);
    await mkdir(path.join(file, "in the way"), { recursive: true });
    await serve(fixture, "unsaved.example", { kind: "host", hostname: origin });
    await comes("unsaved.example");
    await until(() => warnings.some((message) => message.includes("cannot save the copy")), "a warning");
    await rm(file, { recursive: true });
    await serve(fixture, "saved.example", { kind: "host", hostname: origin });
    const isFile = () =>
      stat(file).then(
        (found) => found.isFile(),
        () => false,
      );
    await until(isFile, "the copy");
    assert.ok(warnings.every((message) => !message.includes("gives no snapshot")));
  });

  await t.test(
    "serves from its copy while the control plane is down, after its own restart too",
    async () => {
      await fixture.stop();
      isUp = false;
      assert.equal((await get("far.example", "/down")).body, "/down for 127.0.0.1");
      await edge.stop();
      edge = await start(t, fixture, folder);
      assert.equal((await get("far.example", "/again")).body, "/again for 127.0.0.1");
      const page = await get("files.example");
      assert.equal(page.status, 502);
      assert.match(page.body, /cannot be reached/);
    },
  );
});

test("a report that no control plane takes fails", async (t) => {
  const origin = await startTestOrigin(
    t,
    createServer((_request, response) => response.writeHead(404).end()),
  );
  const control = createControl(`http://${origin}`, deriveEdgeKeys(SECRET));
  const ports = { http: null, https: 443 };
  const report = { id: "far", addresses: [], ports, version: "1", startedAt: 0, names: 0, snapshot: null };
  await assert.rejects(control.report({ ...report, sequence: 1, traffic: [] }, t.signal), /no control plane/);
  await assert.rejects(control.readSnapshot(null, 0, t.signal), /SLIPWAY_EDGE_SECRET on the main machine/);
});

test("what one secret sealed opens with it only, at its place, and unchanged", () => {
  const keys = deriveEdgeKeys(SECRET);
  const sealed = keys.seal("here", Buffer.from("text"));
  assert.equal(keys.open("here", sealed).toString(), "text");
  const changed = Buffer.from(sealed);
  changed[20] = (changed[20] ?? 0) ^ 1;
  for (const open of [
    () => deriveEdgeKeys(`${SECRET}.`).open("here", sealed),
    () => keys.open("there", sealed),
    () => keys.open("here", changed),
    () => keys.open("here", Buffer.alloc(3)),
  ])
    assert.throws(open, EdgeSecretError);
});

test("a batch of traffic stays the same until it is acknowledged", () => {
  const batches = createTrafficBatches(() => 120_500);
  batches.count("one", 200);
  batches.count("one", 503);
  batches.count("two", null);
  const batch = batches.next();
  batches.count("one", 404);
  assert.deepEqual(batches.next(), batch);
  assert.deepEqual(batch.traffic, [
    { siteId: "one", minute: 120_000, requests: 2, clientErrors: 0, serverErrors: 1 },
    { siteId: "two", minute: 120_000, requests: 1, clientErrors: 0, serverErrors: 0 },
  ]);
  batches.acknowledge(batch.sequence);
  const next = batches.next();
  assert.equal(next.sequence, batch.sequence + 1);
  assert.deepEqual(next.traffic, [
    { siteId: "one", minute: 120_000, requests: 1, clientErrors: 1, serverErrors: 0 },
  ]);
});

test("traffic that waits for long is reported in several batches, and forgotten after a day", () => {
  let now = 0;
  const batches = createTrafficBatches(() => now);
  batches.count("first", 200);
  now = 86_400_000;
  for (let i = 0; i <= MAX_COUNTS; i += 1) batches.count(`site ${i}`, 200);
  const first = batches.next();
  assert.deepEqual([first.traffic.length, first.traffic[0]?.siteId], [MAX_COUNTS, "first"]);
  batches.acknowledge(first.sequence);
  now += 60_000;
  batches.count("last", 200);
  assert.deepEqual(
    batches.next().traffic.map(({ siteId }) => siteId),
    [`site ${MAX_COUNTS - 1}`, `site ${MAX_COUNTS}`, "last"],
  );
  const late = createTrafficBatches(() => now);
  late.count("old", 200);
  now += 86_460_000;
  late.count("new", 200);
  assert.deepEqual(
    late.next().traffic.map(({ siteId }) => siteId),
    ["new"],
  );
});

test("the largest report is smaller than the body that the control plane accepts", () => {
  const batches = createTrafficBatches(Date.now);
  for (let i = 0; i < MAX_COUNTS; i += 1) batches.count(`${i}`.padStart(100, "-"), 500);
  const traffic = batches.next().traffic.map((counts) => ({ ...counts, requests: 1e9, serverErrors: 1e9 }));
  assert.ok(JSON.stringify(traffic).length < 1_000_000);
});
