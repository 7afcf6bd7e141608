/**
 * Bytes that are almost HTTP, over real sockets. Whatever comes, no answer is an unhandled 5xx, and every
 * refusal is a whole problem document as far as HTTP still holds. `SLIPWAY_FUZZ_CASES` and
 * `SLIPWAY_FUZZ_SEED` make a longer run, or the same one again.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { createRandom, type Random } from "../crash/random.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";
import { type LoggedProcess, startLogged } from "./logged-process.ts";

const CASES = Number(process.env["SLIPWAY_FUZZ_CASES"] ?? 1_500);
const SEED = Number(process.env["SLIPWAY_FUZZ_SEED"] ?? Date.now() % 1_000_000);
const LANES = 16;
/** What the process may grow by between a third of the cases and all of them. */
const GROWTH_MAX_BYTES = 64 << 20;
const ADMIN_KEY = "fuzz-admin-key-0123456789abcdef";

const PATHS = [
  "/v1/aws-accounts",
  "/v1/projects",
  "/v1/services/svc_1/env-variables",
  "/v1/services/svc_1/domain-certificate-groups",
  "/v1/domains/dom_1",
  "/v1/deployments",
  "/v1/users",
  "/cloud-callbacks/aws_1",
  "/sandbox/dns/records",
  "/sandbox/console/stacks/new",
  "/openapi.json",
  "/docs/errors/NOT_FOUND",
  "/metrics",
  "/readyz",
  "/",
];

describe("bytes that are almost HTTP", () => {
  let service: LoggedProcess;
  let dataDir: string;
  before(async () => {
    dataDir = await makeTempDir("fuzz");
    await copyPgliteTemplate(path.join(dataDir, "database"));
    service = await startLogged({
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: ADMIN_KEY,
      SLIPWAY_LOG: "warn",
    });
  });
  after(async () => {
    await service.kill("SIGTERM");
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  it(`get a problem document or nothing, never an unhandled error (${CASES} cases, seed ${SEED})`, async () => {
    const random = createRandom(SEED);
    let warmBytes = 0;
    const statuses = new Map<number, number>();
    const lanes = Array.from({ length: LANES }, async (_, lane) => {
      for (let index = lane; index < CASES; index += LANES) {
        if (index === Math.floor(CASES / 3)) warmBytes = await residentBytes(service.url);
        const bytes = makeCase(random);
        const answer = await exchange(service.url, bytes);
        for (const { status, headers, body } of readAnswers(answer)) {
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          const what = `seed ${SEED}, case ${index}: ${JSON.stringify(bytes.toString("latin1").slice(0, 600))}\n→ ${answer.toString("latin1").slice(0, 600)}`;
          assert.ok(status < 500, what);
          if (status < 400) continue;
          assert.match(headers.get("content-type") ?? "", /^(?:application\/problem\+json|text\/html)/, what);
          if (body.length === 0) continue;
          const problem =
            headers.get("content-type")?.startsWith("text/html") === true ? null : JSON.parse(body);
          if (problem !== null) assert.equal(problem.status, status, what);
        }
      }
    });
    await Promise.all(lanes);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    assert.ok((statuses.get(400) ?? 0) > CASES / 20, `too tame: ${JSON.stringify([...statuses])}`);
    assert.ok((statuses.get(200) ?? 0) > 0, `too wild: ${JSON.stringify([...statuses])}`);
    const grown = (await residentBytes(service.url)) - warmBytes;
    assert.ok(grown < GROWTH_MAX_BYTES, `grew by ${(grown / 1_048_576).toFixed(0)} MiB`);
    const logged = service
      .output()
      .toString()
      .split("\n")
      .filter((line) => /"level":(?:50|60)/.test(line));
    assert.deepEqual(logged, [], "an error was logged");
  });

  it("that arrive one at a time delay no client, and are cut off", { timeout: 60_000 }, async () => {
    const { hostname, port } = new URL(service.url);
    const head = `GET /v1/users HTTP/1.1\r\nHost: x\r\nX-Slow: ${"a".repeat(200)}`;
    let cut = 0;
    const slow = Array.from({ length: 200 }, () => {
      const socket = connect(Number(port), hostname);
      let at = 0;
      const drip = setInterval(() => socket.write(head[at++ % head.length] ?? "a"), 500);
      socket.on("error", () => undefined);
      socket.resume();
      socket.on("close", () => {
        clearInterval(drip);
        cut += 1;
      });
      return socket;
    });
    await Promise.all(slow.map((socket) => once(socket, "connect")));
    const times: number[] = [];
    while (cut < slow.length) {
      const startedMs = performance.now();
      const { status } = await fetch(`${service.url}/v1/users`, {
        headers: { authorization: `Bearer ${ADMIN_KEY}` },
      });
      assert.equal(status, 200);
      times.push(performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    times.sort((a, b) => a - b);
    assert.ok(
      (times[Math.floor(times.length * 0.9)] ?? 0) < 5_000,
      `p90 ${times[Math.floor(times.length * 0.9)]} ms`,
    );
  });
});

async function residentBytes(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const bytes = Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
  assert.ok(bytes > 0, "the metrics say nothing of memory");
  return bytes;
}

/** A request that would be fine, with some of it spoilt. */
function makeCase(random: Random): Buffer {
  const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T;
  const method = pick([
    "GET",
    "GET",
    "POST",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "HEAD",
    "TRACE",
    "CONNECT",
    "PRI",
    "get",
    "G\u0000T",
  ]);
  const target = spoilTarget(pick(PATHS), random, pick);
  const version = pick([
    "HTTP/1.1",
    "HTTP/1.1",
    "HTTP/1.1",
    "HTTP/1.1",
    "HTTP/1.0",
    "HTTP/2.0",
    "HTTP/0.9",
    "HTTP/1.1 ",
    "http/1.1",
    "",
  ]);
  const body = makeBody(random, pick);
  const headers = [
    `Host: ${pick(["localhost", "localhost", "", "a b", "localhost:99999", "[::1", "a".repeat(3_000)])}`,
    `Authorization: ${pick([`Bearer ${ADMIN_KEY}`, `Bearer ${ADMIN_KEY}`, `Bearer: ${ADMIN_KEY}`, "Bearer", "Basic YTpi", `bearer ${" ".repeat(5_000)}x`])}`,
    `Content-Type: ${pick(["application/json", "application/json", "application/json; charset=utf-16", "application/json;;;", "text/plain", "multipart/form-data", "\u00ff"])}`,
    ...framing(body, random, pick),
  ];
  for (let extra = random.below(4); extra > 0; extra -= 1) {
    headers.splice(
      random.below(headers.length),
      0,
      pick([
        "Expect: 100-continue",
        "Expect: 200-maybe",
        "Connection: close, upgrade",
        "Upgrade: h2c",
        "Upgrade: websocket",
        "Prefer: wait=0",
        "Prefer: wait=999999999999",
        "If-None-Match: *",
        'If-None-Match: W/"a", "b',
        `Idempotency-Key: ${"k".repeat(random.below(400))}`,
        "Idempotency-Key: \u0001",
        "Accept: text/html",
        "Accept-Encoding: gzip, br",
        "Content-Encoding: gzip",
        "Range: bytes=0-1",
        " folded: header",
        "no colon",
        ": no name",
        "Name : space",
        "Na\u0000me: nul",
        "Name: \r bare",
        `X-Big: ${"b".repeat(random.below(20_000))}`,
        "Host: second",
        "Trailer: X",
        "TE: trailers",
        "__proto__: x",
        "constructor: y",
      ]),
    );
  }
  const lineEnd = random.next() < 0.95 ? "\r\n" : pick(["\n", "\r", "\r\r\n"]);
  const text = [`${method} ${target} ${version}`, ...headers, "", ""].join(lineEnd);
  const bytes = Buffer.concat([Buffer.from(text, "latin1"), body]);
  return random.next() < 0.35 ? spoilBytes(bytes, random) : bytes;
}

function spoilTarget(path: string, random: Random, pick: <T>(items: readonly T[]) => T): string {
  if (random.next() < 0.5) return path;
  return pick([
    `${path}?limit=${pick(["0", "-1", "1e9", "%00", "\u00e9", "[]", "1&limit=2"])}`,
    `${path}?cursor=${"A".repeat(random.below(9_000))}`,
    `${path}/%00`,
    `${path}/%ff%fe`,
    `${path}/%`,
    `${path}/%zz`,
    `${path}/..%2f..%2fetc%2fpasswd`,
    `/..${path}`,
    `//${path}`,
    `http://127.0.0.1${path}`,
    `${path}#fragment`,
    `${path} extra`,
    `*`,
    "",
    `${path}/${"a/".repeat(random.below(3_000))}`,
    `${path}/${String.fromCodePoint(0x80 + random.below(120))}`,
    `${path}?${"a=b&".repeat(random.below(2_000))}`,
    `${path}?__proto__[a]=1`,
  ]);
}

function makeBody(random: Random, pick: <T>(items: readonly T[]) => T): Buffer {
  const depth = random.below(20_000);
  return pick([
    () => Buffer.alloc(0),
    () => Buffer.from('{"givenId": "fuzz"}'),
    () => Buffer.from('{"plainText": {"__proto__": "x", "A": "\\ud800"}}'),
    () => Buffer.from(`${"[".repeat(depth)}${"]".repeat(depth)}`),
    () => Buffer.from('{"a":'.repeat(depth)),
    () => Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22]),
    () => Buffer.from('"\\u0000"'),
    () => Buffer.from(`{"limit": 1e${random.below(999_999)}, "b": ${"9".repeat(random.below(3_000))}}`),
    () =>
      Buffer.from(
        JSON.stringify({ domains: Array.from({ length: random.below(3_000) }, () => "a.example.com") }),
      ),
    () => Buffer.from("null"),
    () => Buffer.from("\ufeff{}"),
    () => Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256))),
  ])();
}

function framing(body: Buffer, random: Random, pick: <T>(items: readonly T[]) => T): string[] {
  const length = `Content-Length: ${body.length}`;
  if (random.next() < 0.6) return [length];
  return pick([
    [],
    [length, length],
    [length, `Content-Length: ${body.length + 1}`],
    [length, "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: chunked"],
    ["Transfer-Encoding: chunked, identity"],
    ["Transfer-Encoding: xchunked"],
    ["Transfer-Encoding:\u000bchunked"],
    ["Transfer-Encoding: gzip, chunked"],
    [`Content-Length: +${body.length}`],
    [`Content-Length: -1`],
    [`Content-Length: 0x10`],
    [`Content-Length: 99999999999999999999`],
    [`Content-Length: ${body.length + 50}`],
    [`Content-Length: ${Math.max(0, body.length - 3)}`],
    [`Content-Length: ${body.length}, ${body.length}`],
    ["Content-Length: "],
  ]);
}

/** Some bytes turned, taken out, doubled or cut off. */
function spoilBytes(bytes: Buffer, random: Random): Buffer {
  let spoilt = Buffer.from(bytes);
  for (let times = 1 + random.below(4); times > 0 && spoilt.length > 1; times -= 1) {
    const at = random.below(spoilt.length);
    switch (random.below(4)) {
      case 0:
        spoilt[at] = random.below(256);
        break;
      case 1:
        spoilt = Buffer.concat([spoilt.subarray(0, at), spoilt.subarray(at + 1 + random.below(8))]);
        break;
      case 2:
        spoilt = Buffer.concat([
          spoilt.subarray(0, at),
          spoilt.subarray(Math.max(0, at - 10)),
          spoilt.subarray(at),
        ]);
        break;
      default:
        spoilt = spoilt.subarray(0, at);
    }
  }
  return spoilt;
}

/** Sends the bytes, ends the sending side, and returns what came back until the server closed. */
async function exchange(url: string, bytes: Buffer): Promise<Buffer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => void chunks.push(chunk));
  // The server may close while it is still written to.
  socket.on("error", () => undefined);
  socket.setTimeout(20_000, () => socket.destroy(new Error("The server neither answered nor closed.")));
  const closed = once(socket, "close");
  socket.end(bytes);
  await closed.catch(() => undefined);
  return Buffer.concat(chunks);
}

type ReadAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

/** The answers on one connection, in order, without a last answer whose headers were cut off. */
function readAnswers(bytes: Buffer): readonly ReadAnswer[] {
  const answers: ReadAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return answers;
    const [statusLine = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1] ?? Number.NaN);
    assert.ok(status >= 100, `no status line: ${statusLine}`);
    const headers = new Map(
      lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(":")).toLowerCase(),
        line.slice(line.indexOf(":") + 1).trim(),
      ]),
    );
    const length = Number(headers.get("content-length") ?? 0);
    const after = rest.subarray(end + 4);
    // The body of an answer to HEAD is announced and not sent; then the next answer, or nothing, follows.
    const isSent = after.length >= length && !after.subarray(0, 9).toString("latin1").startsWith("HTTP/1.1 ");
    answers.push({ status, headers, body: isSent ? after.subarray(0, length).toString() : "" });
    rest = isSent ? after.subarray(length) : after;
    if (headers.get("transfer-encoding") === "chunked") return answers;
  }
}
