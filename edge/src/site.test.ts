import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { serveSite } from "./site.ts";

describe("a file of a site", () => {
  let server: Server;
  let url = "";
  before(async () => {
    const read = async () => ({ etag: "1", sizeBytes: 1, open: () => Buffer.from("x") });
    server = createServer((request, response) => void serveSite(read, request, response));
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
