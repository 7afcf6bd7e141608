import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import type { RequestListener } from "node:http";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { parseAllowedHosts } from "../egress/address-rules.ts";
import { GitError, type GitErrorCode } from "./git.ts";
import type { SafeFetchOptions } from "../egress/safe-fetch.ts";
import { FILE_BYTES_MAX, type HttpRequest, makeGuardedClient } from "./http-client.ts";
import { TEST_CERTIFICATE } from "../../test/helpers/git/certificate.ts";
import { type LocalServer, startLocalServer } from "../../test/helpers/git/local-server.ts";

// A second loopback address stands in for the public internet: it is allowed, while 127.0.0.1 stays internal.
const OUTSIDE = process.platform === "linux" ? "127.0.0.2" : "::1";

const get = (url: string, expects: HttpRequest["expects"] = "listing"): HttpRequest => ({
  method: "GET",
  url: new URL(url),
  headers: {},
  expects,
});

const fetchWith = (allowed: readonly string[], options: Partial<SafeFetchOptions> = {}) =>
  makeGuardedClient({ allowedHosts: parseAllowedHosts(allowed), trustedCa: TEST_CERTIFICATE, ...options });

const at = (...addresses: string[]): (() => Promise<readonly LookupAddress[]>) => {
  const answer = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return () => Promise.resolve(answer);
};

const refusedWith = (code: GitErrorCode, message?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof GitError, String(error));
  assert.equal(error.code, code, error.message);
  if (message !== undefined) assert.match(error.message, message);
  return true;
};

describe("the guarded fetch", () => {
  let server: LocalServer;
  const listener: RequestListener = (request, response) => {
    const path = new URL(request.url ?? "", "https://h").pathname;
    if (path === "/hang") return;
    if (path === "/hang-in-body") {
      response.write("part");
      return;
    }
    if (path === "/cut") {
      response.writeHead(200, { "content-length": "100" });
      response.write("part", () => response.destroy());
      return;
    }
    if (path === "/redirect") response.writeHead(302, { location: "/landed" }).end();
    else if (path === "/large") response.end(Buffer.alloc(FILE_BYTES_MAX + 1));
    else if (path === "/full") response.end(Buffer.alloc(FILE_BYTES_MAX));
    else if (path === "/landed") assert.fail("a redirect was followed");
    else response.writeHead(path === "/missing" ? 404 : 200).end(`host=${request.headers.host ?? ""}`);
  };
  before(async () => {
    server = await startLocalServer("https", listener);
  });
  after(() => server.close());

  test("reaches a host whose network the operator allowed", async () => {
    const answer = await fetchWith(["127.0.0.0/8"])(get(`${server.url}/`));
    assert.equal(answer.status, 200);
    assert.equal(answer.body.toString(), `host=${server.host}`);
  });

  test("reaches a host whose name the operator allowed, with the name in TLS and the Host header", async () => {
    const fetch = fetchWith(["gitlab.test"], { resolve: at("127.0.0.1") });
    const answer = await fetch(get(`https://gitlab.test:${server.port}/`));
    assert.equal(answer.body.toString(), `host=gitlab.test:${server.port}`);
  });

  test("returns any status but a redirect as the answer", async () => {
    assert.equal((await fetchWith(["127.0.0.1"])(get(`${server.url}/missing`))).status, 404);
  });

  const inside: readonly (readonly [what: string, url: string, addresses: string[]])[] = [
    ["a loopback address", "https://127.0.0.1/", []],
    ["a loopback address", "https://2130706433/", []],
    ["a loopback address", "https://0x7f.1/", []],
    ["a loopback address", "https://[::1]/", []],
    ["a loopback address", "https://[::ffff:7f00:1]/", []],
    ["a cloud's metadata service", "https://169.254.169.254/", []],
    ["a loopback address", "https://localhost/", []],
    ["a private network", "https://inside.test/", ["10.0.0.1"]],
    ["a link-local address", "https://inside.test/", ["fe80::1%eth0"]],
    ["a private network", "https://inside.test/", ["140.82.121.4", "192.168.0.1"]],
    ["a cloud's metadata service", "https://metadata.google.internal/", ["169.254.169.254"]],
  ];
  for (const [what, url, addresses] of inside) {
    test(`refuses ${url} ${addresses.join(" and ")} as ${what}`, async () => {
      const fetch = fetchWith([], addresses.length === 0 ? {} : { resolve: at(...addresses) });
      await assert.rejects(fetch(get(url)), refusedWith("HOST_REFUSED", new RegExp(what)));
    });
  }

  test("does not connect if it refuses", async () => {
    const connectionsBefore = server.connections();
    await assert.rejects(fetchWith([])(get(`${server.url}/`)), refusedWith("HOST_REFUSED"));
    await assert.rejects(fetchWith(["10.0.0.0/8"])(get(`${server.url}/`)), refusedWith("HOST_REFUSED"));
    assert.equal(server.connections(), connectionsBefore);
  });

  test("uses only HTTPS, whatever the operator allowed", async () => {
    await assert.rejects(
      fetchWith(["127.0.0.1"])(get("http://127.0.0.1/")),
      refusedWith("HOST_REFUSED", /https/),
    );
  });

  test("follows no redirect", async () => {
    await assert.rejects(
      fetchWith(["127.0.0.1"])(get(`${server.url}/redirect`)),
      refusedWith("HOST_REFUSED", /redirects/),
    );
  });

  test("accepts a file of 1 MiB and refuses one byte more; a listing may be larger", async () => {
    const fetch = fetchWith(["127.0.0.1"]);
    assert.equal((await fetch(get(`${server.url}/full`, "file"))).body.byteLength, FILE_BYTES_MAX);
    await assert.rejects(fetch(get(`${server.url}/large`, "file")), refusedWith("FILE_TOO_LARGE"));
    assert.equal((await fetch(get(`${server.url}/large`))).body.byteLength, FILE_BYTES_MAX + 1);
  });

  for (const path of ["/hang", "/hang-in-body"]) {
    test(`gives up on a host that does not answer in time (${path})`, async () => {
      const fetch = fetchWith(["127.0.0.1"], { totalTimeoutMs: 150 });
      await assert.rejects(fetch(get(`${server.url}${path}`)), refusedWith("HOST_UNAVAILABLE", /in time/));
    });
  }

  test("gives up on a host that accepts the connection and never speaks TLS", async () => {
    const silent = createServer((socket) => socket.on("error", () => socket.destroy()).resume());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    assert.ok(address !== null && typeof address !== "string");
    const fetch = fetchWith(["127.0.0.1"], { connectTimeoutMs: 150 });
    await assert.rejects(
      fetch(get(`https://127.0.0.1:${address.port}/`)),
      refusedWith("HOST_UNAVAILABLE", /connection in time/),
    );
    await new Promise((resolve) => silent.close(resolve));
  });

  test("gives up on a name that never resolves", async () => {
    const fetch = fetchWith([], { connectTimeoutMs: 100, resolve: () => new Promise(() => {}) });
    await assert.rejects(fetch(get("https://slow.test/")), refusedWith("HOST_UNAVAILABLE", /in time/));
  });

  test("says that a name does not exist", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    await assert.rejects(
      fetchWith([], { resolve })(get("https://no.test/")),
      refusedWith("HOST_UNAVAILABLE", /no\.test does not resolve/),
    );
  });

  test("reports an answer that was cut off, instead of using half of it", async () => {
    await assert.rejects(fetchWith(["127.0.0.1"])(get(`${server.url}/cut`)), refusedWith("HOST_UNAVAILABLE"));
  });

  test("refuses a certificate that it does not trust, or that names another host", async () => {
    const untrusting = makeGuardedClient({ allowedHosts: parseAllowedHosts(["127.0.0.1"]) });
    await assert.rejects(
      untrusting(get(`${server.url}/`)),
      refusedWith("HOST_UNAVAILABLE", /no trusted certificate/),
    );
    const other = fetchWith(["other.example"], { resolve: at("127.0.0.1") });
    await assert.rejects(
      other(get(`https://other.example:${server.port}/`)),
      refusedWith("HOST_UNAVAILABLE", /no trusted certificate/),
    );
  });
});

test("a name that changes its address never leads inside in 500 tries", async (t) => {
  const outside = await startLocalServer("https", (_request, response) => response.end("outside"), {
    address: OUTSIDE,
  });
  const inside = await startLocalServer("https", () => assert.fail("reached the inside"), {
    port: outside.port,
  });
  t.after(() => Promise.all([outside.close(), inside.close()]));
  let lookups = 0;
  const answers = [at(OUTSIDE), at("127.0.0.1"), at(OUTSIDE, "127.0.0.1")];
  const fetch = fetchWith([OUTSIDE], {
    resolve: () => (answers[lookups++ % answers.length] ?? at())(),
  });
  let reached = 0;
  let refused = 0;
  for (let attempt = 0; attempt < 500; attempt += 1) {
    try {
      const answer = await fetch(get(`https://rebind.test:${outside.port}/`));
      assert.equal(answer.body.toString(), "outside");
      reached += 1;
    } catch (error) {
      refusedWith("HOST_REFUSED")(error);
      refused += 1;
    }
  }
  // One look-up a request: what was checked is what was dialled, for a second one would have led elsewhere.
  assert.deepEqual(
    { lookups, reached, refused, inside: inside.connections() },
    {
      lookups: 500,
      reached: 167,
      refused: 333,
      inside: 0,
    },
  );
});
