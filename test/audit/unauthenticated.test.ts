import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { readStatement } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import type { ProbedRoute } from "../helpers/processes/probe.ts";
import { type ProbedProcess, startProbed } from "../helpers/processes/probed-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";

/** What a client without a key may take of the process. */
const HELD_BYTES_MAX = 32 * 1_048_576;
/** In the time that the probe's reference takes on the same processor then: about 50 ms at rest. */
const BUSY_REFERENCES_MAX = 10;
/** Garbage may not be given back just then, and something be compiled; what an attack costs shows every time. */
const TRIES = 8;

const TABLES = readStatement<{ schema: string; name: string }>(
  "test_list_tables",
  `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
    WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2`,
);

/** Headers that get a request past all checks before its body. */
const HEADERS = [
  "host: localhost",
  "x-github-event: push",
  `x-hub-signature-256: sha256=${"0".repeat(64)}`,
  `x-gitlab-token: ${"k".repeat(43)}`,
  "sec-fetch-site: same-origin",
];

describe("an attacker without a key", () => {
  let folder: string;
  let service: ProbedProcess;
  /** Endpoints as they are registered that are answered without a key. */
  let open: readonly ProbedRoute[];
  let rowsBefore: Readonly<Record<string, number>>;
  const env = () => ({ SLIPWAY_DATA_DIR: folder, SLIPWAY_API_KEY: ADMIN_KEY });

  before(async () => {
    folder = await makeTempDir("unauthenticated");
    await copyPgliteTemplate(path.join(folder, "database"));
    const first = await startProbed(env());
    const { body } = await ask(first.url, "/v1/aws-accounts", {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ givenId: "waiting" }),
    });
    connectionId = JSON.parse(body).id;
    assert.match(connectionId, /^aws_/);
    await first.stop();
    rowsBefore = await countRows(folder);
    service = await startProbed(env());
    const { routes } = await service.probe("kept");
    open = await findOpen(service.url, routes);
    // A warm-up: code that is compiled, loaded or rendered once must not count as an attack.
    for (let times = 0; times < 10; times += 1) {
      for (const route of open) await ask(service.url, pathOf(route), { method: route.method });
    }
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  let connectionId = "";
  const pathOf = ({ url }: ProbedRoute): string =>
    url
      .replace(":provider", "provider_a")
      .replace(":connectionId", connectionId)
      .replace(":code", "NOT_FOUND")
      .replace("*", "console/stacks")
      .replaceAll(/:[A-Za-z]+/g, "x");

  const findOpen = async (url: string, routes: readonly ProbedRoute[]): Promise<readonly ProbedRoute[]> => {
    const found: ProbedRoute[] = [];
    for (const route of routes) {
      if (route.method === "HEAD") continue;
      const { status, body } = await ask(url, pathOf(route), { method: route.method });
      if (status === 401 && body.includes('"code":"UNAUTHENTICATED"')) continue;
      found.push(route);
    }
    return found;
  };

  /** @param attack returns connections that are still open */
  const withstand = async (what: string, attack: () => Promise<readonly Socket[]>): Promise<void> => {
    const least = { held: Number.POSITIVE_INFINITY, busy: Number.POSITIVE_INFINITY };
    for (let tries = 0; tries < TRIES; tries += 1) {
      const calm = await settle();
      const sockets = await attack();
      const taken = await settle();
      for (const socket of sockets) socket.destroy();
      const held = Math.max(taken.rssBytes - calm.rssBytes, taken.heldBytes - calm.heldBytes);
      least.held = Math.min(least.held, held);
      const referenceMs = Math.max(calm.referenceMs, taken.referenceMs);
      least.busy = Math.min(least.busy, taken.busyMs / referenceMs);
      if (least.held <= HELD_BYTES_MAX && least.busy <= BUSY_REFERENCES_MAX) return;
    }
    assert.ok(
      least.held <= HELD_BYTES_MAX,
      `${what}: ${Math.round(least.held / 1_048_576)} MiB are held, time and again`,
    );
    assert.fail(
      `${what}: the process is busy at once for ${Math.round(least.busy)} times as long as it reads 0.6 MB, time and again`,
    );
  };

  /** Waits until memory neither grows nor shrinks. @returns what is held then, and the longest time that it was busy */
  const settle = async () => {
    let { rssBytes: last, busyMs } = await service.probe("kept");
    for (let still = 0, looks = 0; still < 2 && looks < 50; looks += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const seen = await service.probe("kept");
      still = Math.abs(seen.rssBytes - last) < 262_144 ? still + 1 : 0;
      last = seen.rssBytes;
      busyMs = Math.max(busyMs, seen.busyMs);
    }
    return { ...(await service.probe("collected")), busyMs };
  };

  /** Connections that take nothing of what is answered, each with these bytes on the way. */
  const flood = async (count: number, bytes: string | Uint8Array): Promise<readonly Socket[]> => {
    const { hostname, port } = new URL(service.url);
    return await Promise.all(
      Array.from(
        { length: count },
        () =>
          new Promise<Socket>((resolve) => {
            const socket = connect(Number(port), hostname).pause();
            socket.once("connect", () => resolve(socket)).once("close", () => resolve(socket));
            socket.on("error", () => socket.destroy());
            socket.write(bytes);
          }),
      ),
    );
  };

  it("P3: finds the endpoints that need no key", () => {
    const names = open.map(({ method, url }) => `${method} ${url}`);
    for (const known of [
      "GET /readyz",
      "GET /metrics",
      "GET /openapi.json",
      "GET /docs",
      "GET /console/*",
      "POST /v1/git-hooks/:provider",
      "POST /cloud-callbacks/:connectionId",
      "POST /sandbox/*",
    ]) {
      assert.ok(names.includes(known), `${known} is not among ${names.join(", ")}`);
    }
  });

  /** Larger than any may be, and as large as a form may be. */
  const sizes = [5 * 1_048_576, 16_384];
  const bodies: Readonly<Record<string, (bytes: number) => string>> = {
    "many members": (bytes) => {
      const members = Array.from({ length: Math.floor(bytes / 12) }, (_, index) => `"${index}":1`);
      return `{"repository":{${members.join(",")}}}`.slice(0, bytes);
    },
    "deep nesting": (bytes) => "[".repeat(bytes),
  };
  const requestTo = (route: ProbedRoute, ...more: readonly string[]): string => {
    const type = route.url.startsWith("/sandbox/") ? "application/x-www-form-urlencoded" : "application/json";
    return [
      `${route.method} ${pathOf(route)} HTTP/1.1`,
      ...HEADERS,
      `content-type: ${type}`,
      ...more,
      "",
      "",
    ].join("\r\n");
  };
  const eachWithBody = async (attack: (route: ProbedRoute, name: string) => Promise<void>): Promise<void> => {
    const withBody = open.filter(({ method }) => method !== "GET");
    // The methods of one address have one handler.
    for (const route of new Map(withBody.map((one) => [one.url, one])).values())
      await attack(route, `${route.method} ${route.url}`);
  };

  it("S4: cannot occupy much memory with bodies that never end", async () => {
    await eachWithBody(async (route, name) => {
      for (const size of sizes) {
        const head = Buffer.from(requestTo(route, `content-length: ${size}`));
        const bytes = Buffer.concat([head, Buffer.alloc(size - 1, " ")]);
        await withstand(`${name}: 80 bodies of ${size} bytes`, () => flood(80, bytes));
      }
      const chunks = `${requestTo(route, "transfer-encoding: chunked")}${"1\r\n \r\n".repeat(20_000)}`;
      await withstand(`${name}: bodies of single bytes`, () => flood(5, chunks));
    });
  });

  it("S4: cannot block the process for long with the content of bodies", async () => {
    await eachWithBody(async (route, name) => {
      for (const [what, make] of Object.entries(bodies)) {
        for (const size of sizes) {
          const body = make(size);
          const bytes = `${requestTo(route, `content-length: ${body.length}`)}${body}`;
          await withstand(`${name}: ${what} in ${size} bytes`, () => flood(5, bytes));
        }
      }
    });
  });

  it("P3: gains nothing by not reading answers, or by requesting many at once", async () => {
    for (const route of open.filter((one) => one.method === "GET")) {
      const get = `GET ${pathOf(route)} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
      await withstand(`${route.url}: 500 clients that do not read`, () => flood(500, get));
    }
    for (const url of ["/healthz", "/readyz", "/metrics", "/docs/reference.js"]) {
      const get = `GET ${url} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
      await withstand(`${url}: 50 clients that ask 1,800 times at once`, () => flood(50, get.repeat(1_800)));
    }
  });

  it("P3: cannot occupy much memory with headers that never end, or with many connections", async () => {
    const head = "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ";
    await withstand("1,000 long headers", () => flood(1_000, `${head}${"a".repeat(15_000)}`));
    await withstand("1,000 endless headers", () => flood(1_000, `${head}${"a".repeat(60_000)}`));
    await withstand("1,000 with many headers", () => flood(1_000, `${head}\r\n${"a: b\r\n".repeat(1_900)}`));
    await withstand("1,500 connections", () => flood(1_500, ""));
    await withstand("1,500 connections with unknown keys", () =>
      flood(
        1_500,
        "GET /v1/me HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer unknown-0123456789abcdef\r\n\r\n",
      ),
    );
  });

  it("P3: does not disturb other clients", async () => {
    const sockets = await flood(1_000, "");
    const me = await ask(service.url, "/v1/me", { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
    assert.equal(me.status, 200, me.body);
    for (const socket of sockets) socket.destroy();
  });

  it("P3: cannot fill a table", async () => {
    const report = JSON.stringify({ accountId: "012345678901", roleArn: "arn:aws:iam::012345678901:role/a" });
    for (const id of ["aws_0000000000000000000000000", "nobody", "x".repeat(200)]) {
      for (let times = 0; times < 20; times += 1) {
        await ask(service.url, `/cloud-callbacks/${id}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: report,
        });
      }
    }
    await service.stop();
    const rows = await countRows(folder);
    service = await startProbed(env());
    assert.deepEqual(rows, rowsBefore);
  });
});

async function ask(
  base: string,
  address: string,
  init: RequestInit,
): Promise<{ readonly status: number; readonly body: string }> {
  const answer = await fetch(`${base}${address}`, { redirect: "manual", ...init });
  return { status: answer.status, body: await answer.text() };
}

/** Counts the rows of every table of the database in this data folder, which no other process has open. */
async function countRows(folder: string): Promise<Readonly<Record<string, number>>> {
  const db = await openPgliteDatabase({ folder: path.join(folder, "database"), onError: () => undefined });
  try {
    const counts: Record<string, number> = {};
    for (const { schema, name } of await db.query(TABLES)) {
      const count = readStatement<{ count: number }>(
        `test_count_${schema}_${name}`,
        `SELECT count(*)::int AS count FROM "${schema}"."${name}"`,
      );
      // The queue updates its own timestamps in the background.
      counts[`${schema}.${name}`] = (await db.query(count))[0]?.count ?? 0;
    }
    return counts;
  } finally {
    await db.close();
  }
}
