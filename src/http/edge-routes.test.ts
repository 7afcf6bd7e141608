import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { freePort } from "../../test/helpers/free-port.ts";
import { registerEdgeForwarding } from "./edge-routes.ts";
import { createTestServer } from "./testing.ts";

test("only the paths for edges are passed on, with status, body and tag", async (t) => {
  const seen: (string | undefined)[][] = [];
  const small = createServer((request, response) => {
    void text(request).then((body) => {
      const { authorization, cookie, "if-none-match": tag } = request.headers;
      seen.push([request.method, request.url, authorization, cookie, tag, body]);
      if (tag !== undefined) response.writeHead(304, { etag: tag }).end();
      else response.writeHead(200, { etag: '"1"', "content-type": "application/octet-stream" }).end("sealed");
    });
  });
  await once(small.listen(0, "127.0.0.1"), "listening");
  const address = small.address();
  const app = await createTestServer();
  t.after(async () => {
    await app.close();
    small.close();
    small.closeAllConnections();
  });
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  await registerEdgeForwarding(app, { url, draining: new AbortController().signal });
  const headers = { authorization: "Bearer token", cookie: "session=1" };
  const first = await app.inject({ url: "/edge/snapshot?wait=0", headers });
  assert.deepEqual([first.statusCode, first.body, first.headers["etag"]], [200, "sealed", '"1"']);
  const second = await app.inject({ url: "/edge/snapshot", headers: { ...headers, "if-none-match": '"1"' } });
  assert.deepEqual([second.statusCode, second.body], [304, ""]);
  const report = { url: "/edge/report", method: "POST", payload: { id: "one" } } as const;
  assert.equal((await app.inject({ ...report, headers })).statusCode, 200);
  for (const url of ["/edge/other", "/edge/../call", "/edge/snapshot/..%2fcall"])
    assert.equal((await app.inject({ url, headers })).statusCode, 404, url);
  assert.deepEqual(seen, [
    ["GET", "/edge/snapshot?wait=0", "Bearer token", undefined, undefined, ""],
    ["GET", "/edge/snapshot", "Bearer token", undefined, '"1"', ""],
    ["POST", "/edge/report", "Bearer token", undefined, undefined, '{"id":"one"}'],
  ]);
});

test("a request that waits for a change ends when the process stops", async (t) => {
  const small = createServer();
  await once(small.listen(0, "127.0.0.1"), "listening");
  const address = small.address();
  const app = await createTestServer();
  t.after(async () => {
    await app.close();
    small.close();
    small.closeAllConnections();
  });
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const stopping = new AbortController();
  await registerEdgeForwarding(app, { url, draining: stopping.signal });
  const asked = once(small, "request");
  const waiting = app.inject({ url: "/edge/snapshot?wait=25" });
  const [request] = (await asked) as [IncomingMessage];
  const ended = once(request.socket, "close");
  stopping.abort();
  const answer = await waiting;
  assert.deepEqual([answer.statusCode, answer.json().detail], [503, "This process is stopping."]);
  await ended;
});

test("an edge that does not answer is reported, and when to retry", async (t) => {
  const app = await createTestServer();
  t.after(() => app.close());
  const url = `http://127.0.0.1:${await freePort()}`;
  await registerEdgeForwarding(app, { url, draining: new AbortController().signal });
  const answer = await app.inject({ url: "/edge/snapshot" });
  assert.deepEqual([answer.statusCode, answer.headers["retry-after"]], [503, "2"]);
  assert.match(
    answer.json().detail,
    /^The edge of this server does not answer\. Check that `slipway sandbox` runs\.$/,
  );
});
