/** Clients that break the rules of TLS, or take an answer too slowly. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect as connectTcp } from "node:net";
import { duplexPair } from "node:stream";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { dial, forwardingSites, startTestEdge, startTestOrigin } from "./testing.ts";

const NAME = "www.edge.example";
/** RFC 8446, section 5.1: the type of a record with an alert. */
const ALERT = 0x15;

test("an IP address as server name is refused with an alert", async (t) => {
  const asked: string[] = [];
  const edge = await startTestEdge(t, new Map(), {
    findSite(name) {
      asked.push(name);
      return null;
    },
  });
  // Node sends no address as a name, so its first message is changed to one of the same length.
  const [near, far] = duplexPair();
  const client = connectTls({ socket: near, servername: "192-0-2-7" }).on("error", () => undefined);
  const [hello] = (await once(far, "data")) as [Buffer];
  const at = hello.indexOf("192-0-2-7");
  assert.ok(at > 0);
  hello.write("192.0.2.7", at);
  const socket = connectTcp(edge.port, "127.0.0.1");
  socket.write(hello);
  assert.equal((await buffer(socket))[0], ALERT);
  assert.ok(!asked.some((name) => name !== "192.0.2.7"));
  client.destroy();
});

test("a visitor who takes nothing of an answer holds little of it, and is cut off", async (t) => {
  const block = Buffer.alloc(64 * 1024);
  let sent = 0;
  const cut = Promise.withResolvers<void>();
  const origin = await startTestOrigin(
    t,
    createServer((_request, response) => {
      const push = (): void => {
        let isTaken = true;
        while (isTaken && !response.destroyed) {
          isTaken = response.write(block);
          sent += block.length;
        }
      };
      response
        .on("drain", push)
        .on("close", cut.resolve)
        .on("error", () => undefined);
      push();
    }),
  );
  const { sites, stop } = forwardingSites({ [NAME]: origin });
  t.after(stop);
  const edge = await startTestEdge(t, sites, { limits: { stallMs: 500 } });
  const socket = await dial(t, edge.port, { servername: NAME, ALPNProtocols: ["http/1.1"] });
  socket.pause();
  socket.write(`GET / HTTP/1.1\r\nhost: ${NAME}\r\n\r\n`);
  await cut.promise;
  // The buffers of the kernel have most of it.
  t.diagnostic(`${sent} bytes were on their way`);
  assert.ok(sent < 64 * 1024 * 1024);
});
