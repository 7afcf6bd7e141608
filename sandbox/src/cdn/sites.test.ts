import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type RequestListener } from "node:http";
import { Agent } from "node:https";
import path from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test, type TestContext } from "node:test";
import { connect as connectTls } from "node:tls";
import type { CloudAccount, ObservedDistribution, Origin } from "../../../src/cloud/cloud.ts";
import { commitFiles, createRepository } from "../git/git-repositories.ts";
import { originAddressOf } from "../../../edge/src/origin-proxy.ts";
import { getFromEdge } from "../../../test/helpers/sandbox/edge-client.ts";
import { startFixture, type SandboxFixture } from "../../../test/helpers/sandbox/sandbox-fixture.ts";
import { instantTuning } from "../tuning.ts";

const get = ({ server }: SandboxFixture, ...rest: [name: string, ask?: Parameters<typeof getFromEdge>[2]]) =>
  getFromEdge(server, ...rest);

async function serve(
  fixture: SandboxFixture,
  account: CloudAccount,
  names: readonly string[],
  origin: Origin,
): Promise<ObservedDistribution> {
  const certificateId = await fixture.issue(account, names, `for ${names.join()}`);
  const created = await fixture.cloud.distributions.create(account, { token: names.join(), origin });
  const update = { aliases: names, certificateId, enabled: true, etag: created.etag };
  return fixture.cloud.distributions.update(account, created.id, update);
}

async function startOrigin(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return `127.0.0.1:${address.port}`;
}

const NONE: Origin = { kind: "none" };
const DEMO: Origin = {
  kind: "repository",
  repoUrl: "https://git.sandbox.test/demo.git",
  branch: "main",
  directory: "public",
};

describe("the sandbox's edge", { concurrency: true }, () => {
  let fixture: SandboxFixture;
  before(async () => {
    fixture = await startFixture({ allowedOrigins: ["127.0.0.1", "localhost"] });
  });
  after(() => fixture.stop());

  test("serves an attached name under its own certificate and refuses every other name", async () => {
    const account = await fixture.connect();
    await serve(fixture, account, ["www.served.example"], DEMO);
    const page = await get(fixture, "www.served.example");
    assert.equal(page.status, 200);
    assert.match(page.body, /It floats/);
    await assert.rejects(get(fixture, "other.served.example"), /handshake/);
    await assert.rejects(get(fixture, "localhost"), /handshake/);
  });

  test("serves a distribution's own host name too", async () => {
    const account = await fixture.connect();
    const created = await fixture.cloud.distributions.create(account, { token: "own", origin: NONE });
    const answer = await get(fixture, created.domainName);
    assert.equal(answer.status, 503);
    assert.match(answer.body, /Nothing has been released/);
  });

  test("serves names below a wildcard alias, one label deep", async () => {
    const account = await fixture.connect();
    await serve(fixture, account, ["*.wild-edge.example"], DEMO);
    assert.equal((await get(fixture, "any.wild-edge.example")).status, 200);
    await assert.rejects(get(fixture, "too.deep.wild-edge.example"), /handshake/);
  });

  test("serves names to browsers on this machine, below localhost and without TLS", async () => {
    const account = await fixture.connect();
    const seen = await serve(fixture, account, ["www.local-view.example", "local-view.example"], DEMO);
    await fixture.cloud.distributions.update(account, seen.id, {
      aliases: seen.aliases,
      certificateId: seen.certificateId,
      enabled: true,
      etag: seen.etag,
      redirects: { "local-view.example": "www.local-view.example" },
    });
    const { edgePort } = fixture.server;
    const ask = async (host: string, path = "/") => {
      const asked = request({
        host: "127.0.0.1",
        port: edgePort,
        path,
        headers: { host: `${host}:${edgePort}` },
      });
      asked.end();
      const [answer] = (await once(asked, "response")) as [IncomingMessage];
      return { status: answer.statusCode, location: answer.headers.location, body: await text(answer) };
    };
    const page = await ask("www.local-view.example.localhost");
    assert.equal(page.status, 200, page.body);
    assert.match(page.body, /It floats/);
    const redirected = await ask("local-view.example.localhost", "/a?b");
    assert.deepEqual(
      [redirected.status, redirected.location],
      [308, `http://www.local-view.example.localhost:${edgePort}/a?b`],
    );
    assert.equal((await ask("other.local-view.example.localhost")).status, 404);
    for (const host of ["www.local-view.example", "localhost", "127.0.0.1"])
      assert.equal((await ask(host)).status, 400, host);
    assert.equal((await get(fixture, "www.local-view.example")).status, 200, "TLS on the same port");
  });

  test("answers 421 for a host that is not the connection's", async () => {
    const account = await fixture.connect();
    await serve(fixture, account, ["one.misdirected.example"], DEMO);
    await serve(fixture, account, ["two.misdirected.example"], DEMO);
    const answer = await get(fixture, "one.misdirected.example", { host: "two.misdirected.example" });
    assert.equal(answer.status, 421);
  });

  test("stops serving a removed name, also on open connections", async (t) => {
    const account = await fixture.connect();
    const served = await serve(fixture, account, ["off.example"], DEMO);
    const agent = new Agent({ keepAlive: true });
    t.after(() => agent.destroy());
    assert.equal((await get(fixture, "off.example", { agent })).status, 200);
    const update = { aliases: [], certificateId: null, enabled: true, etag: served.etag };
    await fixture.cloud.distributions.update(account, served.id, update);
    assert.equal((await get(fixture, "off.example", { agent })).status, 421);
    await assert.rejects(get(fixture, "off.example"), /handshake/);
  });

  test("loses no request while certificate and aliases are swapped under load", async () => {
    const account = await fixture.connect();
    const served = await serve(fixture, account, ["a.swap.example"], DEMO);
    const statuses: number[] = [];
    const done = new AbortController();
    const client = (async () => {
      while (!done.signal.aborted) statuses.push((await get(fixture, "a.swap.example")).status);
    })();
    const names = ["a.swap.example", "b.swap.example"];
    const certificateId = await fixture.issue(account, names, "swap");
    const update = { aliases: names, certificateId, enabled: true, etag: served.etag };
    await fixture.cloud.distributions.update(account, served.id, update);
    assert.equal((await get(fixture, "b.swap.example")).status, 200);
    done.abort();
    await client;
    assert.ok(statuses.length > 0);
    assert.ok(statuses.every((status) => status === 200));
  });

  test("serves the files of a repository with their types and nothing outside of the folder", async () => {
    const account = await fixture.connect();
    const name = "files.example";
    await serve(fixture, account, [name], DEMO);
    const style = await get(fixture, name, { path: "/style.css?v=1" });
    assert.equal(style.headers["content-type"], "text/css; charset=utf-8");
    for (const outside of [
      "/../slipway.json",
      "/%2e%2e/slipway.json",
      "/..%2fslipway.json",
      "/%00",
      "/%zz",
    ]) {
      const answer = await get(fixture, name, { path: outside });
      assert.equal(answer.status, 404, outside);
      assert.match(answer.body, /Nothing is moored here/);
    }
    const head = await get(fixture, name, { method: "HEAD" });
    assert.deepEqual([head.status, head.body], [200, ""]);
    assert.ok(Number(head.headers["content-length"]) > 100);
    const etag = head.headers.etag ?? "";
    assert.equal((await get(fixture, name, { headers: { "if-none-match": etag } })).status, 304);
    const posted = await get(fixture, name, { method: "POST", body: "x" });
    assert.deepEqual([posted.status, posted.headers.allow], [405, "GET, HEAD"]);
  });

  test("finds index pages and pages without their extension, and adds a folder's slash", async () => {
    const account = await fixture.connect();
    await createRepository({
      folder: fixture.server.gitDir,
      name: "pages",
      branch: "main",
      files: { "about.html": "about", "docs/index.html": "docs", "docs/a b.txt": "spaced" },
      at: new Date(),
    });
    const name = "pages.example";
    const repoUrl = "https://git.sandbox.test/pages";
    await serve(fixture, account, [name], { kind: "repository", repoUrl, branch: "main", directory: "./" });
    assert.equal((await get(fixture, name, { path: "/about" })).body, "about");
    assert.equal((await get(fixture, name, { path: "/docs/" })).body, "docs");
    assert.equal((await get(fixture, name, { path: "/docs/a%20b.txt" })).body, "spaced");
    const redirect = await get(fixture, name, { path: "/docs?x=1" });
    assert.deepEqual([redirect.status, redirect.headers.location], [301, "/docs/?x=1"]);
    assert.equal((await get(fixture, name)).status, 404);
  });

  test("serves a push at once", async () => {
    const account = await fixture.connect();
    const options = { folder: fixture.server.gitDir, name: "pushed", branch: "main", at: new Date() };
    await createRepository({ ...options, files: { "index.html": "first" } });
    const name = "pushed.example";
    const repoUrl = "https://git.sandbox.test/pushed.git";
    await serve(fixture, account, [name], { kind: "repository", repoUrl, branch: "main", directory: "" });
    assert.equal((await get(fixture, name)).body, "first");
    const gitdir = path.join(fixture.server.gitDir, "pushed.git");
    const at = new Date();
    await commitFiles({ gitdir, branch: "main", files: { "index.html": "second" }, message: "2", at });
    assert.equal((await get(fixture, name)).body, "second");
  });

  test("serves another repository after an update that names it, and keeps it after an update without one", async () => {
    const account = await fixture.connect();
    const options = { folder: fixture.server.gitDir, branch: "main", at: new Date() };
    await createRepository({ ...options, name: "left", files: { "index.html": "left" } });
    await createRepository({ ...options, name: "moved-to", files: { "index.html": "moved to" } });
    const name = "moved.example";
    const at = (repository: string) => ({
      kind: "repository" as const,
      repoUrl: `https://git.sandbox.test/${repository}.git`,
      branch: "main",
      directory: "",
    });
    const served = await serve(fixture, account, [name], at("left"));
    const { aliases, certificateId, enabled } = served;
    const update = { aliases, certificateId, enabled };
    const { distributions } = fixture.cloud;
    const { etag } = await distributions.update(account, served.id, {
      ...update,
      origin: at("moved-to"),
      etag: served.etag,
    });
    assert.equal((await get(fixture, name)).body, "moved to");
    await distributions.update(account, served.id, { ...update, etag });
    assert.equal((await get(fixture, name)).body, "moved to");
  });

  test("says in plain words that a repository or branch is missing", async () => {
    const account = await fixture.connect();
    const name = "missing-origin.example";
    await serve(fixture, account, [name], { ...DEMO, branch: "gone" });
    const answer = await get(fixture, name);
    assert.equal(answer.status, 502);
    assert.match(answer.body, /repository or branch is missing/);
  });

  test("forwards to another host, body and answer streamed, hop-by-hop headers left out", async (t) => {
    const hostname = await startOrigin(t, (received, response) => {
      response.writeHead(201, { "x-origin": "yes", connection: "close, x-hop", "x-hop": "dropped" });
      response.write(`${received.method} ${received.url} ${JSON.stringify(received.headers)}\n`);
      received.pipe(response);
    });
    const account = await fixture.connect();
    const name = "proxied.example";
    await serve(fixture, account, [name], { kind: "host", hostname });
    const answer = await get(fixture, name, {
      method: "POST",
      path: "/p/../q?x=1",
      body: "the body",
      headers: { te: "trailers", "x-mine": "kept" },
    });
    assert.equal(answer.status, 201);
    assert.equal(answer.headers["x-origin"], "yes");
    assert.equal(answer.headers["x-hop"], undefined);
    const [first = "", body] = answer.body.split("\n");
    assert.ok(first.startsWith("POST /p/../q?x=1 "));
    const received = JSON.parse(first.slice(first.indexOf("{"))) as Record<string, string>;
    assert.equal(received["host"], hostname);
    assert.equal(received["x-forwarded-host"], name);
    assert.equal(received["x-forwarded-proto"], "https");
    assert.equal(received["x-mine"], "kept");
    assert.equal(received["te"], undefined);
    assert.equal(body, "the body");
  });

  test("finds an origin by its name in the sandbox's own DNS", async (t) => {
    const hostname = await startOrigin(t, (_request, response) => response.end("found"));
    const account = await fixture.connect();
    await fixture.setRecord("origin.by-name.example", "A", "127.0.0.1");
    const name = "named-origin.example";
    const port = hostname.split(":")[1];
    await serve(fixture, account, [name], { kind: "host", hostname: `origin.by-name.example:${port}` });
    assert.equal((await get(fixture, name)).body, "found");
  });

  test("S14: reads nothing inside the network for a user's origin, by address, name or DNS record", async (t) => {
    const guarded = await startFixture();
    t.after(() => guarded.stop());
    let asked = 0;
    const origin = await startOrigin(t, (_request, response) => response.end(`inside ${(asked += 1)}`));
    const port = origin.split(":")[1];
    await guarded.setRecord("inside.example", "A", "127.0.0.1");
    await guarded.setRecord("metadata.example", "A", "169.254.169.254");
    const account = await guarded.connect();
    const hosts = [
      origin,
      `localhost:${port}`,
      `[::1]:${port}`,
      `0.0.0.0:${port}`,
      `2130706433:${port}`,
      `inside.example:${port}`,
      "metadata.example:80",
      "10.0.0.1:80",
      "192.168.0.1",
      "[fe80::1]:80",
      // The sandbox's own HTTP server.
      new URL(guarded.server.url).host,
    ];
    for (const [index, hostname] of hosts.entries()) {
      const name = `guarded-${index}.example`;
      await serve(guarded, account, [name], { kind: "host", hostname });
      const answer = await get(guarded, name);
      assert.equal(answer.status, 502, hostname);
      assert.match(
        answer.body,
        /does not connect to\. .*SLIPWAY_SANDBOX_ALLOWED_ORIGINS|cannot be reached/,
        hostname,
      );
    }
    assert.equal(asked, 0);
  });

  test("answers 502 for an origin that is down, and breaks off if the origin does", async (t) => {
    const account = await fixture.connect();
    await serve(fixture, account, ["down.example"], { kind: "host", hostname: "127.0.0.1:1" });
    const answer = await get(fixture, "down.example");
    assert.equal(answer.status, 502);
    assert.match(answer.body, /cannot be reached/);
    const hostname = await startOrigin(t, (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    });
    await serve(fixture, account, ["half.example"], { kind: "host", hostname });
    await assert.rejects(get(fixture, "half.example"), /aborted|hang up|ECONNRESET/);
  });

  test("presents certificates that the CA signed for exactly the names asked for", async () => {
    const account = await fixture.connect();
    const names = ["exact.example", "www.exact.example"];
    await serve(fixture, account, names, NONE);
    const { edgePort, caCertificatePem } = fixture.server;
    const root = new X509Certificate(caCertificatePem);
    assert.ok(root.ca && root.verify(root.publicKey));
    const socket = connectTls({ port: edgePort, servername: "exact.example", ca: caCertificatePem });
    await once(socket, "secureConnect");
    const leaf = socket.getPeerX509Certificate();
    socket.destroy();
    assert.ok(leaf);
    assert.ok(!leaf.ca && leaf.checkIssued(root) && leaf.verify(root.publicKey));
    assert.equal(leaf.subjectAltName, names.map((name) => `DNS:${name}`).join(", "));
    assert.equal(leaf.subject, "CN=exact.example");
    const lifeDays = (Date.parse(leaf.validTo) - Date.now()) / 86_400_000;
    assert.ok(lifeDays > 197 && lifeDays <= 198);
  });
});

test("a change is served from the moment it goes live, and not before", async (t) => {
  let nowMs = Date.now();
  const fixture = await startFixture({
    clock: { now: () => new Date(nowMs) },
    tuning: { ...instantTuning, deployLagMs: 1_000 },
  });
  t.after(() => fixture.stop());
  const account = await fixture.connect();
  const served = await serve(fixture, account, ["lag.example"], DEMO);
  assert.equal(served.deployed, false);
  await assert.rejects(get(fixture, "lag.example"), /handshake/);
  nowMs += 1_000;
  assert.equal((await get(fixture, "lag.example")).status, 200);
  assert.equal((await fixture.cloud.distributions.describe(account, served.id))?.deployed, true);
  const update = { aliases: [], certificateId: null, enabled: true, etag: served.etag };
  await fixture.cloud.distributions.update(account, served.id, update);
  assert.equal((await get(fixture, "lag.example")).status, 200);
  nowMs += 1_000;
  await assert.rejects(get(fixture, "lag.example"), /handshake/);
});

test("an origin without a port uses HTTPS, and HTTP on this machine", () => {
  assert.deepEqual(originAddressOf("app.example"), { protocol: "https:", host: "app.example", port: 443 });
  assert.deepEqual(originAddressOf("app.example:443"), {
    protocol: "https:",
    host: "app.example",
    port: 443,
  });
  assert.deepEqual(originAddressOf("app.example:8080"), {
    protocol: "http:",
    host: "app.example",
    port: 8080,
  });
  assert.deepEqual(originAddressOf("localhost"), { protocol: "http:", host: "localhost", port: 80 });
  assert.deepEqual(originAddressOf("[::1]:3000"), { protocol: "http:", host: "::1", port: 3000 });
});
