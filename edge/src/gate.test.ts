/** Protected previews at a real edge: over TLS, by HTTP/1.1, HTTP/2 and WebSockets, and at an edge elsewhere. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as requestHttp, type IncomingHttpHeaders } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import type { PreviewAccess } from "../../src/cloud/preview-access.ts";
import { enterPathOf, type Gate, hashBypass } from "../../src/lib/preview-gate.ts";
import { getFromEdge } from "../../test/helpers/sandbox/edge-client.ts";
import { startFixture } from "../../test/helpers/sandbox/sandbox-fixture.ts";
import { until } from "../../test/helpers/until.ts";
import {
  authority,
  dial,
  forwardingSites,
  startTestEdge,
  startTestOrigin,
  startTestRemoteEdge,
} from "./testing.ts";

const NAME = "pr-1.edge.example";
const gate: Gate = {
  key: randomBytes(32).toString("base64url"),
  signInUrl: "https://slipway.example/console/open-preview",
  bypassHash: hashBypass("right"),
};
const BYPASS = { "x-slipway-bypass": "right" };
const BROWSER = { "sec-fetch-mode": "navigate" };

/** A program that says what it got, and would like to be found. */
async function startProgram(t: TestContext, seen: IncomingHttpHeaders[]): Promise<string> {
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(request.url === "/wrong" ? 500 : 200, { "x-robots-tag": "all" }).end("the program");
  });
  server.on("upgrade", (request, socket) => {
    seen.push(request.headers);
    socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  });
  return await startTestOrigin(t, server);
}

test("a protected preview", { timeout: 60_000 }, async (t) => {
  const seen: IncomingHttpHeaders[] = [];
  const origin = await startProgram(t, seen);
  const { sites, stop } = forwardingSites({ [NAME]: origin, "other.example": origin });
  t.after(stop);
  const site = sites.get(NAME);
  assert.ok(site !== undefined);
  sites.set(NAME, { ...site, gate, isUnlisted: true });
  sites.set("alias.example", { ...site, gate, isUnlisted: true, redirectTo: NAME });
  const edge = await startTestEdge(t, sites);
  const get = (ask: Parameters<typeof getFromEdge>[2] = {}, name = NAME) =>
    getFromEdge({ edgePort: edge.port, caCertificatePem: authority.certificatePem }, name, ask);
  const reached = () => seen.splice(0).length;

  await t.test("is answered by nothing of the program without a pass", async () => {
    for (const ask of [
      {},
      { method: "POST", body: "x" },
      { path: "/wrong" },
      { headers: { cookie: "__Host-slipway-preview=1.x" } },
    ]) {
      const answer = await get(ask);
      assert.deepEqual([answer.status, reached()], [401, 0]);
      assert.equal(answer.headers["x-robots-tag"], "noindex");
      assert.equal(answer.headers["cache-control"], "no-store");
    }
    const alias = await get({ host: "alias.example" }, NAME).catch(() => null);
    assert.ok(alias === null || alias.status === 401, "the name to which it redirects is not said");
  });

  await t.test(
    "sends a browser to the console, and takes it back with a ticket of the same browser",
    async () => {
      const first = await get({ path: "/cart?a=1", headers: BROWSER });
      assert.equal(first.status, 302);
      const to = new URL(first.headers.location ?? "");
      assert.equal(to.origin + to.pathname, gate.signInUrl);
      assert.equal(to.searchParams.get("url"), `https://${NAME}/cart?a=1`);
      const [state = ""] = first.headers["set-cookie"]?.[0]?.split(";") ?? [];
      const now = Math.floor(Date.now() / 1_000);
      const enter = enterPathOf(gate.key, {
        host: NAME,
        to: "/cart?a=1",
        state: to.searchParams.get("state") ?? "",
        now,
      });
      assert.equal((await get({ path: enter, headers: BROWSER })).status, 401, "in another browser");
      const back = await get({ path: enter, headers: { ...BROWSER, cookie: state } });
      assert.deepEqual([back.status, back.headers.location], [302, `https://${NAME}/cart?a=1`]);
      assert.equal(back.headers["referrer-policy"], "no-referrer");
      const [pass = ""] = back.headers["set-cookie"]?.[0]?.split(";") ?? [];
      assert.equal(reached(), 0);
      const page = await get({ headers: { ...BROWSER, cookie: `mine=1; ${pass}; ${state}` } });
      assert.deepEqual([page.status, page.body], [200, "the program"]);
      const [program] = seen.splice(0);
      assert.equal(program?.cookie, "mine=1", "the program does not get the cookies of the gate");
      const elsewhere = await get({ headers: { cookie: pass } }, "other.example");
      assert.deepEqual([elsewhere.status, reached()], [200, 1]);
    },
  );

  await t.test("lets tests pass by a header that the program does not get", async () => {
    for (const at of ["/", "/wrong"]) {
      const answer = await get({ path: at, headers: { ...BYPASS, "x-mine": "1" } });
      assert.deepEqual([answer.status, answer.headers["x-robots-tag"]], [at === "/" ? 200 : 500, "noindex"]);
      const [program] = seen.splice(0);
      assert.deepEqual([program?.["x-slipway-bypass"], program?.["x-mine"]], [undefined, "1"]);
    }
    assert.equal((await get({ headers: { "x-slipway-bypass": "wrong" } })).status, 401);
    const cookie = await get({ path: "/a", headers: { ...BYPASS, "x-slipway-set-cookie": "1" } });
    assert.deepEqual([cookie.status, cookie.headers.location, reached()], [307, `https://${NAME}/a`, 0]);
    const [pass = ""] = cookie.headers["set-cookie"]?.[0]?.split(";") ?? [];
    assert.equal((await get({ headers: { cookie: pass } })).status, 200);
    reached();
  });

  await t.test("checks WebSockets and HTTP/2 too", async () => {
    for (const [headers, status] of [
      [{}, 401],
      [BYPASS, 101],
    ] as const) {
      const socket = await dial(t, edge.port, { servername: NAME });
      const asked = requestHttp({
        createConnection: () => socket,
        headers: { host: NAME, connection: "Upgrade", upgrade: "websocket", ...headers },
      });
      asked.end();
      const [answer] = await Promise.race([once(asked, "upgrade"), once(asked, "response")]);
      assert.equal(answer.statusCode, status);
      assert.equal(reached(), status === 101 ? 1 : 0);
      socket.destroy();
      const session = connectHttp2(`https://${NAME}:${edge.port}`, {
        lookup: (_name, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }] as never),
        ca: authority.certificatePem,
      });
      t.after(() => session.destroy());
      const stream = session.request({ ":path": "/", ...headers });
      const [http2] = await once(stream, "response");
      assert.equal(http2[":status"], status === 101 ? 200 : 401);
      assert.equal(http2["x-robots-tag"], "noindex");
      session.close();
      reached();
    }
  });

  await t.test("is not listed by what leads to HTTPS either", async () => {
    const answered = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
      requestHttp({ host: "127.0.0.1", port: edge.httpPort ?? 0, headers: { host: NAME } }, (response) => {
        response.resume();
        resolve(response.headers);
      })
        .on("error", reject)
        .end();
    });
    assert.equal(answered["x-robots-tag"], "noindex");
  });
});

test("protected and public previews at an edge on another machine", { timeout: 60_000 }, async (t) => {
  const secret = "a-secret-of-edges-that-is-long-enough";
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-gate-"));
  const fixture = await startFixture({
    tuning: instantTuning,
    allowedOrigins: ["127.0.0.1"],
    edgeSecret: secret,
  });
  const { caCertificatePem } = fixture.server;
  const seen: IncomingHttpHeaders[] = [];
  const hostname = await startProgram(t, seen);
  const account = await fixture.connect();
  const publish = async (name: string, access?: PreviewAccess) => {
    const certificateId = await fixture.issue(account, [name], name);
    const more = access === undefined ? {} : { access };
    const made = await fixture.cloud.distributions.create(account, {
      token: name,
      origin: { kind: "host", hostname },
      ...more,
    });
    const update = { aliases: [name], certificateId, enabled: true, etag: made.etag };
    return await fixture.cloud.distributions.update(account, made.id, update);
  };
  const closed = await publish("closed.example", { gate });
  await publish("open.example", { gate: null });
  await publish("usual.example");
  const edge = await startTestRemoteEdge({ controlUrl: fixture.server.url, secret, folder });
  t.after(async () => {
    await edge.stop();
    await fixture.stop();
    await rm(folder, { recursive: true });
  });
  const get = (name: string, headers: Record<string, string> = {}) =>
    getFromEdge({ edgePort: edge.port, caCertificatePem }, name, { headers });
  for (const name of ["closed.example", "open.example", "usual.example"])
    await until(
      () =>
        get(name).then(
          () => true,
          () => false,
        ),
      `${name} is served`,
    );
  seen.splice(0);
  for (const [name, headers, status, robots] of [
    ["closed.example", {}, 401, "noindex"],
    ["closed.example", BROWSER, 302, "noindex"],
    ["closed.example", BYPASS, 200, "noindex"],
    ["open.example", {}, 200, "noindex"],
    ["usual.example", {}, 200, "all"],
  ] as const) {
    const answer = await get(name, headers);
    assert.deepEqual([answer.status, answer.headers["x-robots-tag"]], [status, robots], name);
    const [program = null] = seen.splice(0);
    assert.equal(program === null, status !== 200, name);
    assert.equal(program?.["x-slipway-bypass"], undefined);
  }
  // Another secret: the former one ends.
  const { id, etag } = closed;
  const { aliases, certificateId } = closed;
  const replaced = { gate: { ...gate, bypassHash: hashBypass("newer") } };
  const made = await fixture.cloud.distributions.update(account, id, {
    aliases,
    certificateId,
    enabled: true,
    etag,
    access: replaced,
  });
  assert.notEqual(made.accessKey, closed.accessKey);
  await until(
    async () => (await get("closed.example", BYPASS)).status === 401,
    "the former secret is refused",
  );
  assert.equal((await get("closed.example", { "x-slipway-bypass": "newer" })).status, 200);
  // What changes something else keeps the gate.
  const later = await fixture.cloud.distributions.update(account, id, {
    aliases,
    certificateId,
    enabled: true,
    etag: made.etag,
  });
  assert.equal(later.accessKey, made.accessKey);
  assert.equal((await get("closed.example")).status, 401);
});
