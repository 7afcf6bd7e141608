import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, request as requestHttp } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import type { EdgeOptions } from "./edge.ts";
import { authority, dial, forwardingSites, startTestEdge, startTestOrigin } from "./testing.ts";
import { createFrameTracker, goingAwayFrame } from "./web-socket-frames.ts";

const NAME = "chat.edge.example";
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
const HELLO = Buffer.from([0x81, 5, ...Buffer.from("hello")]);
/** Of a client: masked with zeros. */
const MASKED_HELLO = Buffer.from([0x81, 0x85, 0, 0, 0, 0, ...Buffer.from("hello")]);

/** An origin that accepts WebSockets at `/chat`, greets, and repeats what it gets; and an edge in front of it. */
async function startChat(t: TestContext, more: Partial<EdgeOptions> = {}) {
  const sockets: Duplex[] = [];
  const server = createServer((_request, response) => response.writeHead(404).end("no chat here"));
  server.on("upgrade", (request, socket) => {
    if (request.url !== "/chat")
      return void socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
    sockets.push(socket);
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nX-For: ${String(request.headers["x-forwarded-for"])}\r\n\r\n`,
    );
    socket.write(HELLO);
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  const origin = await startTestOrigin(t, server);
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  const { sites, stop } = forwardingSites({ [NAME]: origin });
  t.after(stop);
  return { edge: await startTestEdge(t, sites, more), sockets };
}

async function upgrade(t: TestContext, port: number, path = "/chat") {
  const socket = await dial(t, port, { servername: NAME });
  const asked = requestHttp({
    createConnection: () => socket,
    path,
    headers: {
      host: NAME,
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": KEY,
    },
  });
  asked.end();
  return { socket, asked };
}

/** Reads until it has this many bytes. */
async function take(socket: Duplex, first: Buffer, length: number): Promise<Buffer> {
  let seen = first;
  while (seen.length < length) {
    const [chunk] = (await once(socket, "data")) as [Buffer];
    seen = Buffer.concat([seen, chunk]);
  }
  return seen;
}

test("a WebSocket by HTTP/1.1 carries frames both ways", async (t) => {
  const { edge } = await startChat(t);
  const { socket, asked } = await upgrade(t, edge.port);
  const [answer, , head] = (await once(asked, "upgrade")) as [{ headers: object }, Duplex, Buffer];
  assert.deepEqual((answer.headers as Record<string, string>)["x-for"], "127.0.0.1");
  assert.equal(
    (answer.headers as Record<string, string>)["sec-websocket-accept"],
    "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
  );
  socket.write(MASKED_HELLO);
  const seen = await take(socket, head, HELLO.length + MASKED_HELLO.length);
  assert.deepEqual(seen, Buffer.concat([HELLO, MASKED_HELLO]));
  socket.end();
  await once(socket, "close");
});

test("a WebSocket by HTTP/2 carries frames both ways", async (t) => {
  const { edge } = await startChat(t);
  const session = connectHttp2(`https://${NAME}`, {
    ca: authority.certificatePem,
    host: "127.0.0.1",
    port: edge.port,
    servername: NAME,
  } as object);
  t.after(() => session.destroy());
  const [settings] = (await once(session, "remoteSettings")) as [{ enableConnectProtocol: boolean }];
  assert.equal(settings.enableConnectProtocol, true);
  const stream = session.request({
    ":method": "CONNECT",
    ":protocol": "websocket",
    ":scheme": "https",
    ":path": "/chat",
    ":authority": NAME,
    "sec-websocket-version": "13",
  });
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  assert.equal(headers[":status"], 200);
  stream.write(MASKED_HELLO);
  const seen = await take(stream, Buffer.alloc(0), HELLO.length + MASKED_HELLO.length);
  assert.deepEqual(seen, Buffer.concat([HELLO, MASKED_HELLO]));
  stream.close();
});

test("an origin's refusal reaches the visitor", async (t) => {
  const { edge } = await startChat(t);
  const { asked } = await upgrade(t, edge.port, "/other");
  const [answer] = (await once(asked, "response")) as [{ statusCode: number } & NodeJS.ReadableStream];
  assert.equal(answer.statusCode, 403);
  assert.equal((await buffer(answer)).toString(), "no");
});

test("both sides of a WebSocket are closed with 1001 when the edge stops", async (t) => {
  const { edge, sockets } = await startChat(t, { drainMs: 200 });
  const { socket, asked } = await upgrade(t, edge.port);
  const [, , head] = (await once(asked, "upgrade")) as [unknown, Duplex, Buffer];
  const greeted = await take(socket, head, HELLO.length);
  const [origin] = sockets;
  assert.ok(origin);
  origin.unpipe(origin);
  const atOrigin = buffer(origin);
  const atVisitor = buffer(socket);
  await edge.stop();
  assert.deepEqual(greeted, HELLO);
  assert.deepEqual(await atVisitor, goingAwayFrame("server"));
  assert.deepEqual(await atOrigin, goingAwayFrame("client"));
});

test("the ends of frames are known, however they are cut", () => {
  const frames = [
    HELLO,
    MASKED_HELLO,
    Buffer.concat([Buffer.from([0x82, 126, 1, 0]), Buffer.alloc(256)]),
    Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4]), Buffer.alloc(65_536)]),
    Buffer.from([0x89, 0]),
  ];
  const ends = new Set<number>([0]);
  let length = 0;
  for (const frame of frames) ends.add((length += frame.length));
  const all = Buffer.concat(frames);
  const tracker = createFrameTracker();
  for (let at = 0; at < all.length; at += 1) {
    assert.equal(tracker.isBetweenFrames(), ends.has(at), String(at));
    tracker.read(all.subarray(at, at + 1));
  }
  const whole = createFrameTracker();
  whole.read(all.subarray(0, -1));
  assert.equal(whole.isBetweenFrames(), false);
  whole.read(all.subarray(-1));
  assert.equal(whole.isBetweenFrames(), true);
});
