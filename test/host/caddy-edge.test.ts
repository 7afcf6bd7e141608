/** Caddy as the edge: Debian's Caddy, which `slipway edge` configures, with certificates of Pebble. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request as requestHttp } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request as requestHttps } from "node:https";
import path from "node:path";
import { text } from "node:stream/consumers";
import { connect, type TLSSocket } from "node:tls";
import { after, before, describe, it } from "node:test";
import { CaddyError } from "../../edge/src/caddy/caddy-admin.ts";
import { type RemoteEdge, startRemoteEdge } from "../../edge/src/remote/remote-edge.ts";
import type { OwnServerState } from "../../sandbox/src/host/server-state.ts";
import type { CloudAccount, Origin } from "../../src/cloud/cloud.ts";
import { type Caddy, startCaddy } from "../helpers/host/caddy.ts";
import { type HostFixture, startHostFixture } from "../helpers/host/host-fixture.ts";
import { freePort } from "../helpers/free-port.ts";
import { type LocalServer, startLocalServer } from "../helpers/git/local-server.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const SECRET = "a-secret-of-edges-that-is-long-enough";
const SLIPWAY = "slipway.example.net";
const [SHOP, LATE, MOVED, PRIVATE, LOCAL] = [
  "shop.example.org",
  "late.example.org",
  "moved.example.org",
  "private.example.org",
  "local.example.org",
];

type Answer = {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

describe("Caddy as the edge", () => {
  let fixture: HostFixture;
  let caddy: Caddy;
  let edge: RemoteEdge;
  let origin: Awaited<ReturnType<typeof startOrigin>>;
  let slipway: LocalServer;
  let account: CloudAccount;
  let folder: string;
  let ca: string;
  const warnings: string[] = [];
  const accesses: string[] = [];

  async function startEdge(trustedProxies: readonly string[] = []): Promise<RemoteEdge> {
    return await startRemoteEdge({
      id: "far",
      addresses: ["127.0.0.1"],
      version: "1.2.3",
      host: "127.0.0.1",
      ...fixture.checked,
      portVariables: { https: "HTTPS", http: "HTTP" },
      caddy: { caddyUrl: caddy.adminUrl, laterMs: 100 },
      controlUrl: fixture.server.url,
      secret: SECRET,
      folder,
      allowedOrigins: ["127.0.0.1"],
      hstsSeconds: 600,
      trustedProxies,
      drainMs: 5_000,
      reportMs: 50,
      onAccess: (entry) => void accesses.push(`${entry.host} ${entry.path} ${entry.status}`),
      log: { info: () => {}, warn: (_fields, message) => void warnings.push(message) },
    });
  }

  before(async () => {
    slipway = await startLocalServer("http", (request, response) => {
      response.end(
        `Slipway for ${String(request.headers.cookie)} of ${String(request.headers["x-forwarded-for"])}`,
      );
    });
    fixture = await startHostFixture({
      edgeSecret: SECRET,
      httpPort: 0,
      httpsPort: 0,
      slipway: { hostname: SLIPWAY, port: Number(new URL(slipway.url).port) },
    });
    fixture.names.set(SLIPWAY, "A", "127.0.0.1");
    ca = await fixture.pebble.rootPem();
    caddy = await startCaddy();
    origin = await startOrigin();
    folder = await makeTempDir("caddy-edge");
    edge = await startEdge();
    account = await fixture.connect();
  });
  after(async () => {
    await edge.stop().catch(() => {});
    await caddy.stop();
    await fixture.stop().catch(() => {});
    await slipway.close();
    await origin.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A distribution with a certificate of the CA, which checks the name at Caddy. */
  async function serve(name: string, at: Origin, redirects: Record<string, string> = {}): Promise<string> {
    const names = [name, ...Object.keys(redirects)];
    for (const one of names) fixture.names.set(one, "A", "127.0.0.1");
    const { id: certificateId } = await fixture.cloud.certificates.request(account, { names, token: name });
    const made = await fixture.cloud.distributions.create(account, { token: name, origin: at });
    await until(async () => {
      const seen = await fixture.cloud.certificates.describe(account, certificateId);
      assert.notEqual(seen?.status, "FAILED", JSON.stringify(seen));
      return seen?.status === "ISSUED";
    }, `the certificate of ${name}`);
    const change = { aliases: names, certificateId, enabled: true, etag: made.etag, redirects };
    await fixture.cloud.distributions.update(account, made.id, change);
    await until(
      () =>
        get(name).then(
          () => true,
          () => false,
        ),
      `${name} is served`,
    );
    return made.id;
  }

  /** Handshakes fail while Caddy 2.6 changes its routes. */
  async function get(name: string, at = "/", headers: Record<string, string> = {}): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await getOnce(name, at, headers);
      } catch (error) {
        if (tries === 3 || !(error instanceof Error && "code" in error && error.code === "EPROTO"))
          throw error;
      }
    }
  }

  async function getOnce(name: string, at: string, headers: Record<string, string>): Promise<Answer> {
    const asked = requestHttps({
      host: "127.0.0.1",
      port: fixture.checked.httpsPort,
      path: at,
      servername: name,
      headers: { host: name, ...headers },
      ca,
      agent: false,
    });
    asked.end();
    return await answerTo(asked);
  }

  async function dial(name: string | undefined): Promise<TLSSocket> {
    const socket = connect({
      port: fixture.checked.httpsPort,
      host: "127.0.0.1",
      ca,
      ...(name === undefined ? {} : { servername: name }),
    });
    await once(socket, "secureConnect");
    return socket;
  }

  async function state(): Promise<string | undefined> {
    const headers = { authorization: `Bearer ${fixture.secret}` };
    const answer = await fetch(`${fixture.server.url}/host/state`, { headers });
    const { edges } = (await answer.json()) as OwnServerState;
    return edges.find(({ id }) => id === "far")?.state;
  }

  it("gets certificates for names that lead to it, and forwards to the origin itself", async () => {
    await serve(SHOP, { kind: "host", hostname: origin.at });
    const answer = await get(SHOP, "/a?b=c");
    assert.deepEqual([answer.status, answer.body], [200, "hello from the origin: /a?b=c"]);
    assert.equal(answer.headers["strict-transport-security"], "max-age=600");
    await until(async () => (await caddy.forwards()).includes(SHOP), "Caddy has the route");
    await get(SHOP, "/log?secret=1");
    await until(() => accesses.includes(`${SHOP} /log 200`), "the request is logged");
    assert.equal((await get(SHOP, "/own-hsts")).headers["strict-transport-security"], "max-age=5");
  });

  it("lets no client say who the visitor is", async () => {
    await get(SHOP, "/", {
      forwarded: "for=203.0.113.9",
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
      "x-forwarded-port": "1",
      "x-real-ip": "203.0.113.9",
      "true-client-ip": "203.0.113.9",
      "slipway-edge": "guess",
    });
    const { "user-agent": _, "accept-encoding": __, ...seen } = origin.last().headers;
    assert.deepEqual(seen, {
      host: origin.at,
      via: "1.1 far",
      forwarded: `for=127.0.0.1;host="${SHOP}";proto=https`,
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": SHOP,
      "x-forwarded-proto": "https",
    });
  });

  it("forwards a WebSocket, and events as they come", async () => {
    const socket = await dial(SHOP);
    socket.write(
      `GET /socket HTTP/1.1\r\nHost: ${SHOP}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`,
    );
    let heard = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (heard += chunk));
    await until(() => heard.includes("\r\n\r\nwelcome"), "the origin speaks");
    socket.write("echo");
    await until(() => heard.endsWith("echo"), "the origin hears");
    socket.destroy();

    const asked = requestHttps({
      host: "127.0.0.1",
      port: fixture.checked.httpsPort,
      path: "/events",
      servername: SHOP,
      headers: { host: SHOP },
      ca,
    });
    asked.end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const [event] = (await once(response, "data")) as [Buffer];
    assert.equal(event.toString(), "data: first\n\n");
    origin.finishEvents();
    await once(response.resume(), "end");
  });

  it("speaks HTTP/2", async () => {
    const session = connectHttp2(`https://${SHOP}`, {
      ca,
      host: "127.0.0.1",
      port: fixture.checked.httpsPort,
      servername: SHOP,
    } as object);
    const stream = session.request({ ":path": "/two" });
    assert.equal(await text(stream.setEncoding("utf8")), "hello from the origin: /two");
    session.close();
  });

  it("redirects, serves Slipway, and refuses what a connection is not for", async () => {
    await serve(LATE, { kind: "host", hostname: origin.at }, { [MOVED]: LATE });
    await until(
      () =>
        get(MOVED).then(
          () => true,
          () => false,
        ),
      "the redirect is served",
    );
    const moved = await get(MOVED, "/x?y=z");
    assert.deepEqual([moved.status, moved.headers.location], [308, `https://${LATE}/x?y=z`]);
    assert.equal(moved.headers["strict-transport-security"], "max-age=600");

    await until(
      () =>
        get(SLIPWAY).then(
          () => true,
          () => false,
        ),
      "Slipway is served",
    );
    const own = await get(SLIPWAY, "/", { cookie: "slipway=session", "x-forwarded-for": "203.0.113.9" });
    assert.equal(own.body, "Slipway for slipway=session of 127.0.0.1");

    const other = await get(SHOP, "/", { host: LATE });
    assert.deepEqual([other.status, other.body], [421, `${LATE} is not served on this connection.\n`]);

    const plain = requestHttp({
      host: "127.0.0.1",
      port: fixture.checked.httpPort,
      path: "/p?q",
      headers: { host: SHOP },
      agent: false,
    });
    plain.end();
    const upgraded = await answerTo(plain);
    assert.deepEqual([upgraded.status, upgraded.headers.location], [308, `https://${SHOP}/p?q`]);
  });

  it("refuses a handshake for an unknown name, an address, and no name", async () => {
    for (const name of ["unknown.example.org", "x".repeat(60) + ".example.org", undefined])
      await assert.rejects(dial(name), /alert|handshake/i, String(name));
  });

  it("answers headers that are too large with 431, and an origin that is away with 502", async () => {
    assert.equal((await get(SHOP, "/", { large: "x".repeat(80_000) })).status, 431);
    await serve("away.example.org", { kind: "host", hostname: `127.0.0.1:${await freePort()}` });
    await until(async () => (await caddy.forwards()).includes("away.example.org"), "Caddy has the route");
    const away = await get("away.example.org");
    assert.deepEqual(
      [away.status, away.body],
      [502, "The origin of this site cannot be reached, or closed the connection.\n"],
    );
  });

  it("connects to no address that is not public", async () => {
    await serve(PRIVATE, { kind: "host", hostname: "192.168.1.1:80" });
    assert.match((await get(PRIVATE)).body, /a private network, which the edge does not connect to/);
    await serve(LOCAL, { kind: "host", hostname: `localhost:${origin.at.split(":")[1]}` });
    await serve("next.example.org", { kind: "host", hostname: origin.at });
    await until(
      async () => (await caddy.forwards()).includes("next.example.org"),
      "Caddy has the next route",
    );
    // `localhost` is in /etc/hosts, so Caddy would not ask for its address; this program checks it.
    assert.ok((await caddy.forwards()).every((name) => name !== PRIVATE && name !== LOCAL));
    assert.equal((await get(LOCAL, "/by-name")).body, "hello from the origin: /by-name");
  });

  it("counts what Caddy forwards", async () => {
    const id = await serve("counted.example.org", { kind: "host", hostname: origin.at });
    await until(async () => (await caddy.forwards()).includes("counted.example.org"), "Caddy has the route");
    const count = async () => {
      const traffic = await fixture.cloud.distributions.traffic(account, [id], new Date(0));
      return traffic?.minutes.reduce((sum, { requests }) => sum + requests, 0) ?? 0;
    };
    const before = await until(async () => (await count()) || null, "the first requests are counted");
    for (let i = 0; i < 5; i += 1) await get("counted.example.org");
    await until(async () => (await count()) >= before + 5, "the next ones");
  });

  it("lets trusted proxies say who the visitor is", async () => {
    await edge.stop();
    edge = await startEdge(["127.0.0.1"]);
    await get(SHOP, "/", {
      "x-forwarded-for": "198.51.100.1, 203.0.113.9, 127.0.0.1",
      "x-real-ip": "198.51.100.1",
    });
    const { headers } = origin.last();
    assert.deepEqual(
      [headers["x-forwarded-for"], headers["x-forwarded-host"], headers.forwarded, headers["x-real-ip"]],
      ["203.0.113.9", SHOP, `for=203.0.113.9;host="${SHOP}";proto=https`, undefined],
    );
    await edge.stop();
    edge = await startEdge();
  });

  it("has its routes again after another start of Caddy, and leaves no token on the disk", async () => {
    await until(async () => (await state()) === "CURRENT", "the edge is current");
    await caddy.kill();
    await until(async () => (await state()) === "BEHIND", "the edge says that it does not serve");
    await caddy.start();
    await until(
      () =>
        get(SHOP).then(
          ({ status }) => status === 200,
          () => false,
        ),
      "Caddy serves again",
    );
    await until(async () => (await state()) === "CURRENT", "the edge is current again");
    for (const entry of await readdir(caddy.folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = await readFile(path.join(entry.parentPath, entry.name), "latin1");
      assert.doesNotMatch(bytes, /get_certificate|PRIVATE KEY/, entry.name);
    }
  });

  it("says why Caddy cannot serve", async () => {
    await assert.rejects(
      startRemoteEdge({
        id: "second",
        addresses: [],
        version: "1",
        host: "127.0.0.1",
        httpPort: await freePort(),
        httpsPort: await freePort(),
        portVariables: { https: "", http: "" },
        caddy: { caddyUrl: `http://127.0.0.1:${await freePort()}` },
        controlUrl: fixture.server.url,
        secret: SECRET,
        folder: path.join(folder, "second"),
        allowedOrigins: [],
        log: { info: () => {}, warn: () => {} },
      }),
      (error) => error instanceof CaddyError && /Start Caddy/.test(error.message),
    );
  });

  it("serves while the control plane is down, and after its own restart", async () => {
    await fixture.server.stop();
    assert.equal((await get(SHOP, "/down")).body, "hello from the origin: /down");
    await edge.stop();
    await assert.rejects(get(SHOP), /ECONNREFUSED/);
    edge = await startEdge();
    assert.equal((await get(SHOP, "/again")).body, "hello from the origin: /again");
    assert.equal((await get(MOVED)).status, 308);
    const own = await get(SLIPWAY);
    assert.equal(own.status, 502);
  });

  it("finishes requests when it stops", async () => {
    const slow = get(SHOP, "/slow");
    await until(() => origin.last().url === "/slow", "the origin has the request");
    assert.ok(!(await caddy.forwards()).includes(LOCAL));
    const passed = get(LOCAL, "/slow?passed");
    await until(() => origin.last().url === "/slow?passed", "the origin has the other request");
    const stopped = edge.stop();
    assert.equal((await passed).body, "slow answer");
    assert.equal((await slow).body, "slow answer", caddy.log());
    await stopped;
    await assert.rejects(get(SHOP), /ECONNREFUSED/);
    edge = await startEdge();
  });
});

async function answerTo(asked: ReturnType<typeof requestHttp>): Promise<Answer> {
  const [answer] = (await once(asked, "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) };
}

async function startOrigin() {
  let last: IncomingMessage | null = null;
  let finish = (): void => {};
  const server = createServer((request, response) => {
    last = request;
    if (request.url === "/events") {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n");
      finish = () => response.end();
    } else if (request.url?.startsWith("/slow") === true)
      setTimeout(() => response.end("slow answer"), 1_000);
    else {
      if (request.url === "/own-hsts") response.setHeader("strict-transport-security", "max-age=5");
      response.end(`hello from the origin: ${request.url}`);
    }
  });
  server.on("upgrade", (_request, socket) => {
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nwelcome",
    );
    socket.on("error", () => {}).pipe(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  return {
    at: `127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    last: () => last ?? assert.fail("no request came"),
    finishEvents: () => finish(),
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
