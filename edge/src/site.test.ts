import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingHttpHeaders, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { SiteFile } from "./site-file.ts";
import { serveSite } from "./site.ts";

describe("a file of a site", () => {
  let server: Server;
  let url = "";
  before(async () => {
    const read = async () => ({ etag: "1", contentKey: "1", sizeBytes: 1, open: () => Buffer.from("x") });
    server = createServer((request, response) => void serveSite({ read }, request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  });
  after(() => server.close());

  const rows = [
    ["index.HTML", "text/html; charset=utf-8"],
    ["app.mjs", "text/javascript; charset=utf-8"],
    ["data.json", "application/json"],
    ["favicon.ico", "image/x-icon"],
    ["fonts/sans.ttf", "font/ttf"],
    ["film.webm", "video/webm"],
    ["json", "application/octet-stream"],
    ["LICENSE", "application/octet-stream"],
    [".well-known/token.constructor", "application/octet-stream"],
  ] as const;
  for (const [file, type] of rows) {
    it(`${file} is ${type}`, async () => {
      const answer = await fetch(`${url}/${file}`);
      assert.equal(answer.headers.get("content-type"), type);
    });
  }
});

describe("the bytes of a file of a site", () => {
  const TEXT = Buffer.from("<p>Ten thousand letters.</p>\n".repeat(400));
  let server: Server;
  let port = 0;
  let opened = 0;
  before(async () => {
    const read = async (path: string): Promise<SiteFile | null> => {
      if (path === "missing.html") return null;
      const bytes = path === "small.html" ? TEXT.subarray(0, 900) : TEXT;
      const open: SiteFile["open"] = ({ start, end } = { start: 0, end: bytes.length - 1 }) => {
        opened += 1;
        return bytes.subarray(start, end + 1);
      };
      return { etag: "1", contentKey: path, sizeBytes: bytes.length, open };
    };
    server = createServer((request, response) => void serveSite({ read }, request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    port = typeof address === "object" ? (address?.port ?? 0) : 0;
  });
  after(() => server.close());

  /** Unlike `fetch`, it does not decode. */
  async function ask(path: string, headers: Readonly<Record<string, string>>, method = "GET") {
    const { promise, resolve, reject } = Promise.withResolvers<{
      status: number | undefined;
      headers: IncomingHttpHeaders;
      body: Buffer;
    }>();
    get({ port, path, headers, method }, (answer) => {
      buffer(answer).then(
        (body) => resolve({ status: answer.statusCode, headers: answer.headers, body }),
        reject,
      );
    }).on("error", reject);
    return await promise;
  }

  const encodings = [
    ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
    ["gzip, br;q=0", "gzip", gunzipSync],
    ["GZIP;q=0.5", "gzip", gunzipSync],
  ] as const;
  for (const [accepted, encoding, decode] of encodings) {
    it(`are encoded as ${encoding} for a browser that accepts ${accepted}`, async () => {
      const { status, headers, body } = await ask("/page.html", { "accept-encoding": accepted });
      assert.deepEqual([status, headers["content-encoding"]], [200, encoding]);
      assert.deepEqual([headers.etag, headers.vary], ['W/"1"', "accept-encoding"]);
      assert.equal(headers["content-length"], String(body.length));
      assert.ok(body.length < TEXT.length / 10);
      assert.ok(decode(body).equals(TEXT));
      const head = await ask("/page.html", { "accept-encoding": accepted }, "HEAD");
      assert.deepEqual([head.headers["content-length"], head.body.length], [String(body.length), 0]);
    });
  }

  const plain = [
    ["a browser that accepts none", "/page.html", "identity"],
    ["a small file", "/small.html", "br"],
    ["an image", "/photo.webp", "br"],
  ] as const;
  for (const [title, path, accepted] of plain) {
    it(`are not encoded for ${title}`, async () => {
      const { headers, body } = await ask(path, { "accept-encoding": accepted });
      assert.equal(headers["content-encoding"], undefined);
      assert.deepEqual([headers.etag, headers["accept-ranges"]], ['"1"', "bytes"]);
      assert.equal(headers["content-length"], String(body.length));
    });
  }

  it("are encoded once, however many ask for them", async () => {
    opened = 0;
    const headers = { "accept-encoding": "gzip" };
    await Promise.all(Array.from({ length: 10 }, () => ask("/popular.css", headers)));
    assert.equal((await ask("/popular.css", headers)).headers["content-encoding"], "gzip");
    assert.equal(opened, 1);
  });

  it("are not sent again to who has them, encoded or not", async () => {
    for (const tag of ['"1"', 'W/"1"', '"0", W/"1"']) {
      const known = await ask("/page.html", { "if-none-match": tag, "accept-encoding": "br" });
      assert.deepEqual([known.status, known.body.length], [304, 0]);
      assert.equal(known.headers.vary, "accept-encoding");
    }
  });

  it("are sent in part, as they are", async () => {
    const range = { range: "bytes=3-13", "accept-encoding": "br" };
    const { status, headers, body } = await ask("/page.html", range);
    assert.deepEqual([status, headers["content-encoding"]], [206, undefined]);
    assert.equal(headers["content-range"], `bytes 3-13/${TEXT.length}`);
    assert.equal(body.toString(), "Ten thousan");
    const changed = await ask("/page.html", { ...range, "if-range": '"0"' });
    assert.equal(changed.status, 200);
    const beyond = await ask("/page.html", { range: `bytes=${TEXT.length}-` });
    assert.deepEqual([beyond.status, beyond.headers["content-range"]], [416, `bytes */${TEXT.length}`]);
  });

  it("of the page for missing ones are encoded, and never sent in part", async () => {
    const missing = await ask("/missing.html", { "accept-encoding": "br", range: "bytes=0-1" });
    assert.deepEqual([missing.status, missing.headers["content-encoding"]], [404, "br"]);
  });
});
