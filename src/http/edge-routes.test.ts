import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import fastify from "fastify";
import { registerEdgeForwarding } from "./edge-routes.ts";

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
  const app = fastify();
  t.after(async () => {
    await app.close();
    small.close();
    small.closeAllConnections();
  });
  await registerEdgeForwarding(app, `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
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
