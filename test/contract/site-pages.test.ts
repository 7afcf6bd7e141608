/** Which file of a single-page app answers an address: the edge decides as CloudFront's function does. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { runInNewContext } from "node:vm";
import type { ReadSite } from "../../edge/src/site-file.ts";
import { serveSite } from "../../edge/src/site.ts";
import { writeIndexFunction } from "../../src/cloud/aws/domains/viewer-functions.ts";
import { rawRequest, sendRaw } from "../helpers/raw-http.ts";

const FILES: ReadonlySet<string> = new Set([
  "index.html",
  "about.html",
  "docs/index.html",
  "assets/app.js",
  ".well-known/token",
  "404.html",
]);

const read: ReadSite = async (at) =>
  FILES.has(at)
    ? {
        etag: "1",
        contentKey: at,
        sizeBytes: at.length,
        open: ({ start, end } = { start: 0, end: at.length - 1 }) => Buffer.from(at.slice(start, end + 1)),
      }
    : null;

describe("a single-page app", () => {
  let server: Server;
  let url = "";
  before(async () => {
    const content = { read, singlePageApp: true };
    server = createServer((request, response) => void serveSite(content, request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  });
  after(() => server.close());

  const ask = (path: string, method = "GET", headers: Readonly<Record<string, string>> = {}) =>
    sendRaw(url, rawRequest(`${method} ${path}`, headers));

  /** The file that S3 gives for the address, or the page for missing files. */
  function onAws(path: string): readonly [status: number, file: string] {
    const event = { request: { uri: path.split("?", 1)[0] } };
    const { uri } = runInNewContext(`${writeIndexFunction(true)}; handler(event)`, { event });
    const file = String(uri).slice(1);
    return FILES.has(file) ? [200, file] : [404, "404.html"];
  }

  for (const [path, status, file] of [
    ["/", 200, "index.html"],
    ["/?a=b.c", 200, "index.html"],
    ["/orders", 200, "index.html"],
    ["/orders/17/", 200, "index.html"],
    ["/v1.2/orders", 200, "index.html"],
    ["/%C3%A4", 200, "index.html"],
    ["/%", 200, "index.html"],
    ["/about", 200, "index.html"],
    ["/docs/", 200, "index.html"],
    ["/about.html", 200, "about.html"],
    ["/docs/index.html", 200, "docs/index.html"],
    ["/assets/app.js", 200, "assets/app.js"],
    ["/assets/old.js", 404, "404.html"],
    ["/orders/logo.png?v=1", 404, "404.html"],
    ["/.well-known/token", 200, ".well-known/token"],
    ["/.well-known/other", 404, "404.html"],
  ] as const)
    it(`answers ${path} with ${file} and ${status}, on both`, async () => {
      const answer = await ask(path);
      assert.deepEqual([answer.status, answer.text], [status, file]);
      assert.deepEqual(onAws(path), [status, file]);
    });

  it("answers an address as it answers index.html: type, cache, HEAD, ranges and known content", async () => {
    for (const path of ["/orders", "/index.html"]) {
      const { headers } = await ask(path);
      assert.match(headers["content-type"] ?? "", /^text\/html/);
      assert.equal(headers["cache-control"], "public, max-age=0, must-revalidate");
      assert.equal(headers["x-content-type-options"], "nosniff");
      const head = await ask(path, "HEAD");
      assert.deepEqual([head.status, head.text, head.headers["content-length"]], [200, "", "10"]);
      const part = await ask(path, "GET", { range: "bytes=0-4" });
      assert.deepEqual([part.status, part.text], [206, "index"]);
      assert.equal((await ask(path, "GET", { "if-none-match": '"1"' })).status, 304);
      assert.equal((await ask(path, "POST")).status, 405);
    }
  });
});
