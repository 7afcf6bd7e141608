import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get as getHttp, type IncomingMessage, type RequestListener } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { type Agent, request as requestHttps } from "node:https";
import { connect as connectTcp } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, type TestContext, test } from "node:test";
import type { AccessEntry } from "./access-log.ts";
import type { Edge, EdgeOptions } from "./edge.ts";
import { sendText } from "./edge-text.ts";
import type { Site } from "./requests.ts";
import { authority, dial, forwardingSites, issue, startTestEdge, startTestOrigin } from "./testing.ts";

const NAME = "www.edge.example";

/** An edge that forwards `NAME` to an origin. */
async function forward(
  t: TestContext,
  listener: RequestListener,
  more: Partial<EdgeOptions> = {},
): Promise<Edge> {
  const origin = await startTestOrigin(t, createServer(listener));
  const { sites, stop } = forwardingSites({ [NAME]: origin });
  t.after(stop);
  return startTestEdge(t, sites, more);
}

async function ask(
  { port }: Edge,
  path = "/",
  more: { method?: string; headers?: Record<string, string>; body?: string; agent?: Agent } = {},
): Promise<{ status: number; headers: IncomingMessage["headers"]; body: string; trailers: object }> {
  const sent = requestHttps({
    host: "127.0.0.1",
    port,
    servername: NAME,
    ca: authority.certificatePem,
    path,
    method: more.method ?? "GET",
    headers: { host: NAME, ...more.headers },
    agent: more.agent ?? false,
  });
  sent.end(more.body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  const body = await text(answer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body, trailers: answer.trailers };
}

function openSession(t: TestContext, port: number): ReturnType<typeof connectHttp2> {
  const session = connectHttp2(`https://${NAME}`, {
    ca: authority.certificatePem,
    host: "127.0.0.1",
    port,
    servername: NAME,
  } as object);
  t.after(() => session.destroy());
  session.on("error", () => {});
  return session;
}

async function askHttp2(
  session: ReturnType<typeof connectHttp2>,
  headers: Record<string, string | number>,
  body?: string,
): Promise<{ headers: Record<string, unknown>; body: string }> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [answer] = (await once(stream, "response")) as [Record<string, unknown>];
  return { headers: answer, body: await text(stream) };
}

/** What comes back for these bytes, until the edge closes the connection. */
async function sendRaw(t: TestContext, { port }: Edge, bytes: string): Promise<string> {
  const socket = await dial(t, port, { servername: NAME });
  const answer = text(socket);
  socket.write(bytes);
  return answer;
}

describe("handshakes", () => {
  const refuse = async (t: TestContext, servername: string | undefined): Promise<number> => {
    let asked = 0;
    const sites = new Map<string, Site>();
    const edge = await startTestEdge(t, sites, {
      findSite: () => {
        asked += 1;
        return null;
      },
    });
    const options = servername === undefined ? {} : { servername };
    await assert.rejects(dial(t, edge.port, options), /handshake|ECONNRESET|disconnected/);
    return asked;
  };
  test("an unknown name is refused at once", async (t) => {
    const edge = await startTestEdge(t, new Map());
    await assert.rejects(dial(t, edge.port, { servername: "first.example" }));
    const started = performance.now();
    for (let i = 0; i < 20; i += 1)
      await assert.rejects(dial(t, edge.port, { servername: `u${i}.example` }), /handshake/);
    assert.ok((performance.now() - started) / 20 < 50);
  });
  test("no name is refused without a look-up", async (t) => assert.equal(await refuse(t, undefined), 0));
  test("255 octets are refused without a look-up", async (t) =>
    assert.equal(await refuse(t, `${"a.".repeat(126)}aaa`), 0));

  test("tls-alpn-01 gets its own certificate, and others the site's", async (t) => {
    const { sites, stop } = forwardingSites({ [NAME]: "127.0.0.1:1" });
    t.after(stop);
    const proof = issue("proof.example");
    const edge = await startTestEdge(t, sites, {
      challenges: { httpAnswer: () => null, alpnPair: (name) => (name === NAME ? proof : null) },
    });
    const checked = await dial(t, edge.port, {
      servername: NAME,
      ALPNProtocols: ["acme-tls/1"],
      rejectUnauthorized: false,
    });
    assert.equal(checked.alpnProtocol, "acme-tls/1");
    assert.equal(checked.getPeerX509Certificate()?.subjectAltName, "DNS:proof.example");
    const visited = await dial(t, edge.port, { servername: NAME, ALPNProtocols: ["h2", "http/1.1"] });
    assert.equal(visited.alpnProtocol, "h2");
    assert.equal(visited.getPeerX509Certificate()?.subjectAltName, `DNS:${NAME}`);
    await assert.rejects(
      dial(t, edge.port, { servername: "other.example", ALPNProtocols: ["acme-tls/1"] }),
      /handshake|ECONNRESET|disconnected/,
    );
  });
});

describe("the port without TLS", () => {
  test("answers challenges, redirects names that are served, and has nothing else", async (t) => {
    const { sites, stop } = forwardingSites({ [NAME]: "127.0.0.1:1" });
    t.after(stop);
    const edge = await startTestEdge(t, sites, {
      challenges: {
        httpAnswer: (host, token) => (token === "abc_-1" ? `${token}.of.${host}` : null),
        alpnPair: () => null,
      },
    });
    const get = async (host: string, path: string) => {
      const sent = getHttp({ host: "127.0.0.1", port: edge.httpPort, path, headers: { host } });
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      return [answer.statusCode, answer.headers.location, await text(answer)];
    };
    const at = "/.well-known/acme-challenge";
    assert.deepEqual(await get("new.example", `${at}/abc_-1`), [200, undefined, "abc_-1.of.new.example"]);
    assert.equal((await get(NAME, `${at}/other`))[0], 404);
    assert.deepEqual((await get(NAME, "/a?b=1")).slice(0, 2), [308, `https://${NAME}/a?b=1`]);
    assert.equal((await get(`${NAME}:80`, "/"))[1], `https://${NAME}:${edge.port}/`);
    assert.equal((await get("other.example", "/"))[0], 404);
  });

  test("a port in use is named with its variable", async (t) => {
    const edge = await startTestEdge(t, new Map());
    await assert.rejects(startTestEdge(t, new Map(), { httpPort: edge.httpPort }), /set HTTP to another/);
  });
});

describe("requests", () => {
  test("HTTP/2 and HTTP/1.1 reach the origin alike, with the visitor's address and no forged one", async (t) => {
    const edge = await forward(t, (request, response) => {
      const { method, url, headers } = request;
      void text(request).then((body) => response.end(JSON.stringify({ method, url, headers, body })));
    });
    const forged = {
      "x-forwarded-for": "6.6.6.6",
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "http",
      "x-real-ip": "6.6.6.6",
      forwarded: "for=6.6.6.6",
    };
    const session = openSession(t, edge.port);
    const second = await askHttp2(
      session,
      { ":path": "/p?q=1", ":method": "POST", ":authority": NAME, cookie: "a=b", ...forged },
      "hello",
    );
    const first = await ask(edge, "/p?q=1", {
      method: "POST",
      body: "hello",
      headers: { cookie: "a=b", ...forged },
    });
    for (const body of [first.body, second.body]) {
      const seen = JSON.parse(body) as { method: string; url: string; headers: object; body: string };
      const headers = seen.headers as Record<string, string>;
      assert.deepEqual([seen.method, seen.url, seen.body], ["POST", "/p?q=1", "hello"]);
      assert.equal(headers["x-forwarded-for"], "127.0.0.1");
      assert.equal(headers["x-forwarded-host"], NAME);
      assert.equal(headers["x-forwarded-proto"], "https");
      assert.equal(headers["forwarded"], `for=127.0.0.1;host="${NAME}";proto=https`);
      assert.equal(headers["x-real-ip"], undefined);
      assert.equal(headers["cookie"], "a=b");
    }
  });

  test("a trusted proxy says who the visitor is, as far as it knows", async (t) => {
    const seen = (request: IncomingMessage) => String(request.headers["x-forwarded-for"]);
    const edge = await forward(t, (request, response) => response.end(seen(request)), {
      trustedProxies: ["127.0.0.1", "10.0.0.0/8"],
    });
    const from = async (value: string) =>
      (await ask(edge, "/", { headers: { "x-forwarded-for": value } })).body;
    assert.equal(await from("6.6.6.6, 203.0.113.9, 10.1.2.3"), "203.0.113.9");
    assert.equal(await from("::ffff:203.0.113.9"), "203.0.113.9");
    assert.equal(await from("nonsense"), "127.0.0.1");
  });

  test("events arrive when they are sent", async (t) => {
    const edge = await forward(t, (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      setTimeout(() => response.write("data: 1\n\n"), 50);
    });
    const session = openSession(t, edge.port);
    const stream = session.request({ ":path": "/", ":authority": NAME });
    await once(stream, "response");
    const [chunk] = (await once(stream, "data")) as [Buffer];
    assert.equal(chunk.toString(), "data: 1\n\n");
    stream.close();
  });

  test("trailers pass both ways", async (t) => {
    const edge = await forward(t, (request, response) => {
      void text(request).then(() => {
        response.writeHead(200, { trailer: "x-sum" });
        response.write("body");
        response.addTrailers({ "x-sum": String(request.trailers["x-mine"]) });
        response.end();
      });
    });
    const answer = await sendRaw(
      t,
      edge,
      `POST / HTTP/1.1\r\nHost: ${NAME}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\na\r\n0\r\nX-Mine: 7\r\n\r\n`,
    );
    assert.match(answer, /\r\nx-sum: 7\r\n/);
  });

  test("both length headers are refused, and the origin sees nothing", async (t) => {
    let seen = 0;
    const edge = await forward(t, (_request, response) => response.end(`${(seen += 1)}`));
    const head = `POST / HTTP/1.1\r\nHost: ${NAME}\r\n`;
    for (const lengths of [
      "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
      "Content-Length: 4\r\nContent-Length: 5\r\n",
      "Transfer-Encoding: xchunked\r\n",
      "Transfer-Encoding : chunked\r\n",
    ])
      assert.match(
        await sendRaw(
          t,
          edge,
          `${head}${lengths}\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: ${NAME}\r\n\r\n`,
        ),
        /^HTTP\/1\.1 400 /,
        lengths,
      );
    assert.equal(seen, 0);
  });

  test("1 MB of headers is answered with 431, and in HTTP/2 the stream is refused", async (t) => {
    const edge = await forward(t, (_request, response) => response.end("reached"));
    const large = "x".repeat(1_000_000);
    assert.match(
      await sendRaw(t, edge, `GET / HTTP/1.1\r\nHost: ${NAME}\r\nX-Large: ${large}\r\n\r\n`),
      /^HTTP\/1\.1 431 /,
    );
    const session = openSession(t, edge.port);
    await assert.rejects(askHttp2(session, { ":path": "/", ":authority": NAME, "x-large": large }));
    assert.equal((await ask(edge)).body, "reached", "the edge still serves");
  });

  test("an origin that closes without an answer is a 502, and a kept connection that it closed is not", async (t) => {
    let count = 0;
    const edge = await forward(t, (request, response) => {
      count += 1;
      if (request.url === "/closes") request.socket.destroy();
      // It says that it keeps the connection, and closes it.
      else response.end("ok", () => setTimeout(() => request.socket.destroy(), 2));
    });
    const answer = await ask(edge, "/closes");
    assert.equal(answer.status, 502);
    assert.match(answer.body, /origin of this site cannot be reached, or closed the connection/);
    for (let i = 0; i < 30; i += 1) {
      assert.equal((await ask(edge, "/")).status, 200);
      await sleep(i % 4);
    }
    assert.ok(count > 30);
  });

  test("HSTS is sent if it is set", async (t) => {
    const edge = await forward(t, (_request, response) => response.end(), { hstsSeconds: 3600 });
    assert.equal((await ask(edge)).headers["strict-transport-security"], "max-age=3600");
  });

  test("the access log has one entry for each request, and no query", async (t) => {
    const entries: AccessEntry[] = [];
    const edge = await forward(t, (_request, response) => response.end(), {
      onAccess: (entry) => entries.push(entry),
    });
    await ask(edge, "/callback?code=secret");
    await askHttp2(openSession(t, edge.port), { ":path": "/two?code=secret", ":authority": NAME });
    await sleep(20);
    assert.deepEqual(
      entries.map(({ durationMs, ...entry }) => ({ ...entry, isTimed: durationMs >= 0 })),
      ["HTTP/1.1", "HTTP/2.0"].map((protocol, index) => ({
        host: NAME,
        client: "127.0.0.1",
        method: "GET",
        path: ["/callback", "/two"][index],
        protocol,
        status: 200,
        isTimed: true,
      })),
    );
  });

  test("headers that come too slowly end the connection", async (t) => {
    const limits = { headersMs: 400 };
    const edge = await forward(t, (_request, response) => response.end(), { limits });
    const socket = await dial(t, edge.port, { servername: NAME });
    const answer = text(socket);
    const writing = setInterval(() => socket.write("X-Slow: 1\r\n"), 50);
    t.after(() => clearInterval(writing));
    socket.write(`GET / HTTP/1.1\r\nHost: ${NAME}\r\n`);
    assert.match(await answer, /^HTTP\/1\.1 408 /);
  });

  test("a connection without a byte is closed", async (t) => {
    const edge = await startTestEdge(t, new Map(), { limits: { handshakeMs: 100 } });
    const socket = connectTcp(edge.port, "127.0.0.1");
    await once(socket, "close");
  });
});

test("a site that fails answers 500, and the error is logged", async (t) => {
  const warnings: string[] = [];
  const site: Site = {
    id: "1",
    certificate: issue(NAME),
    redirectTo: null,
    serve: async (request, response) => {
      if (request.url === "/ok") return sendText(response, 200, "fine");
      throw new Error("broken");
    },
  };
  const edge = await startTestEdge(t, new Map([[NAME, site]]), {
    log: { warn: (_fields, message) => warnings.push(message) },
  });
  assert.equal((await ask(edge)).status, 500);
  assert.equal((await ask(edge, "/ok")).status, 200);
  assert.equal(warnings.length, 1);
});
