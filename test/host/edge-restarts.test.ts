/** Two edges as processes of their own, restarted in turn under load. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { goingAwayFrame } from "../../edge/src/web-socket-frames.ts";
import { freePort } from "../helpers/free-port.ts";
import { startFixture } from "../helpers/sandbox/sandbox-fixture.ts";
import { until } from "../helpers/until.ts";

const NAME = "loaded.example";
const SECRET = "a-secret-of-edges-that-is-long-enough";
const PROGRAM = path.join(import.meta.dirname, "../../bin/slipway.js");

type EdgeProcess = { readonly port: number; start(): void; stop(signal: NodeJS.Signals): Promise<void> };

async function prepareEdge(t: TestContext, id: string, controlUrl: string): Promise<EdgeProcess> {
  const folder = await mkdtemp(path.join(tmpdir(), `slipway-${id}-`));
  const [port, httpPort] = [await freePort(), await freePort()];
  let child: ChildProcess | null = null;
  const stop = async (signal: NodeJS.Signals) => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  t.after(async () => {
    await stop("SIGKILL");
    await rm(folder, { recursive: true });
  });
  return {
    port,
    stop,
    start() {
      child = spawn(process.execPath, [PROGRAM, "edge"], {
        stdio: ["ignore", "ignore", "inherit"],
        env: {
          ...process.env,
          HOST: "127.0.0.1",
          SLIPWAY_DATA_DIR: folder,
          SLIPWAY_EDGE_ID: id,
          SLIPWAY_EDGE_SECRET: SECRET,
          SLIPWAY_EDGE_CONTROL_URL: controlUrl,
          SLIPWAY_EDGE_HTTPS_PORT: String(port),
          SLIPWAY_EDGE_HTTP_PORT: String(httpPort),
          SLIPWAY_EDGE_DRAIN: "3s",
          SLIPWAY_SANDBOX_ALLOWED_ORIGINS: "127.0.0.1",
          SLIPWAY_LOG: "fatal",
        },
      });
    },
  };
}

/** A client that prefers one edge, and takes the other if it cannot connect. */
type Visitor = { readonly ask: () => Promise<number>; stop(): void };

/** The edge has not processed the request: it was not sent, or refused as a stream. */
class NotTaken extends Error {}

function visitByHttp1(ca: string): (port: number) => Visitor {
  return (port) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    return {
      stop: () => agent.destroy(),
      ask: () =>
        new Promise((resolve, reject) => {
          const sent = request({
            host: "127.0.0.1",
            port,
            servername: NAME,
            ca,
            agent,
            headers: { host: NAME },
          });
          let isConnected = false;
          sent.once("socket", (socket) => {
            isConnected = sent.reusedSocket;
            if (!isConnected) socket.once("secureConnect", () => (isConnected = true));
          });
          sent.once("response", (answer) => {
            answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
            answer.once("error", reject);
          });
          sent.once("error", (error) =>
            reject(isConnected ? error : new NotTaken(error.message, { cause: error })),
          );
          sent.end();
        }),
    };
  };
}

function visitByHttp2(ca: string): (port: number) => Visitor {
  return (port) => {
    let session: ClientHttp2Session | null = null;
    async function open(): Promise<ClientHttp2Session> {
      if (session !== null && !session.closed && !session.destroyed) return session;
      const made = connectHttp2(`https://${NAME}`, {
        ca,
        host: "127.0.0.1",
        port,
        servername: NAME,
      } as object);
      await new Promise<void>((resolve, reject) => {
        made.once("connect", () => resolve());
        made.on("error", (cause) => reject(new NotTaken("no session", { cause })));
        made.once("close", () => reject(new NotTaken("closed before it was open")));
      });
      session = made;
      return made;
    }
    return {
      stop: () => session?.destroy(),
      async ask() {
        const stream = (await open()).request({ ":path": "/", ":authority": NAME });
        const closed = new Promise<never>((_resolve, reject) => {
          // RFC 9113, section 8.7: a refused stream was not processed, and clients send the request again.
          stream.once("error", (error) =>
            reject(
              stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
                ? new NotTaken(error.message, { cause: error })
                : error,
            ),
          );
          stream.once("close", () => reject(new Error(`closed with ${stream.rstCode} and no answer`)));
        });
        closed.catch(() => {});
        const [headers] = (await Promise.race([once(stream, "response"), closed])) as [
          Record<string, unknown>,
        ];
        await buffer(stream);
        return Number(headers[":status"]);
      },
    };
  };
}

test("two edges restarted in turn under load lose no request", { timeout: 120_000 }, async (t) => {
  const fixture = await startFixture({ edgeSecret: SECRET, allowedOrigins: ["127.0.0.1"] });
  t.after(() => fixture.stop());
  const sockets: Duplex[] = [];
  const origin = createServer((_request, response) => setTimeout(() => response.end("fine"), 5));
  origin.on("upgrade", (_request, socket) => {
    sockets.push(socket.on("error", () => {}));
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  await once(origin.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    sockets.forEach((socket) => socket.destroy());
    origin.close();
    origin.closeAllConnections();
  });
  const at = origin.address();
  const account = await fixture.connect();
  const certificateId = await fixture.issue(account, [NAME], NAME);
  const { id, etag } = await fixture.cloud.distributions.create(account, {
    token: NAME,
    origin: { kind: "host", hostname: `127.0.0.1:${typeof at === "object" ? at?.port : ""}` },
  });
  await fixture.cloud.distributions.update(account, id, {
    aliases: [NAME],
    certificateId,
    enabled: true,
    etag,
  });

  const { url, caCertificatePem: ca } = fixture.server;
  const edges = [await prepareEdge(t, "one", url), await prepareEdge(t, "two", url)];
  const isServing = ({ port }: EdgeProcess) => {
    const visitor = visitByHttp1(ca)(port);
    return visitor.ask().then(
      (status) => (visitor.stop(), status === 200),
      () => (visitor.stop(), false),
    );
  };
  for (const edge of edges) edge.start();
  for (const edge of edges) await until(() => isServing(edge), "the edge serves");

  const done = new AbortController();
  t.after(() => done.abort());
  const failures: unknown[] = [];
  let answered = 0;
  let switched = 0;
  const load = [visitByHttp1(ca), visitByHttp2(ca)].flatMap((visit) =>
    [0, 1, 0, 1].map(async (preferred) => {
      const visitors = edges.map(({ port }) => visit(port));
      let at = preferred;
      while (!done.signal.aborted) {
        try {
          const status = await visitors[at]?.ask();
          if (status === 200) answered += 1;
          else failures.push(status);
        } catch (error) {
          if (error instanceof NotTaken) {
            at = 1 - at;
            switched += 1;
          } else failures.push(error);
        }
      }
      for (const visitor of visitors) visitor.stop();
    }),
  );
  const talk = await openWebSocket(t, edges[0]?.port ?? 0, ca);
  const heard = buffer(talk);
  await until(() => answered > 200, "load");
  for (const edge of edges) {
    await edge.stop("SIGTERM");
    edge.start();
    await until(() => isServing(edge), "the edge serves again");
    const before = answered;
    await until(() => answered > before + 100, "more load");
  }
  assert.deepEqual(await heard, goingAwayFrame("server"));
  done.abort();
  await Promise.all(load);
  t.diagnostic(`${answered} requests, ${switched} changes of the edge`);
  assert.deepEqual(failures, []);

  await t.test("an edge that was killed starts with its copy, and without the control plane", async () => {
    await fixture.stop();
    const [edge] = edges;
    assert.ok(edge);
    await edge.stop("SIGKILL");
    edge.start();
    await until(() => isServing(edge), "the edge serves from its copy");
  });
});

async function openWebSocket(t: TestContext, port: number, ca: string): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port, servername: NAME, ca });
  t.after(() => socket.destroy());
  await once(socket, "secureConnect");
  socket.write(
    `GET / HTTP/1.1\r\nHost: ${NAME}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n\r\n`,
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 101 /);
  return socket;
}
