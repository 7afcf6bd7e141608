/** Static releases on an edge on another machine, which serves them while the main machine is down. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, truncate } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { getFromEdge } from "../../../test/helpers/sandbox/edge-client.ts";
import { newId, startPlatformFixture } from "../../../test/helpers/sandbox/platform-fixture.ts";
import { staticWorkload } from "../../../test/helpers/sandbox/programs.ts";
import { mountSmallDisk } from "../../../test/helpers/processes/small-disk.ts";
import { until } from "../../../test/helpers/until.ts";
import { FolderError } from "../../../src/lib/operator-error.ts";
import { startTestOrigin, startTestRemoteEdge } from "../testing.ts";
import { createFileCopies } from "./file-copies.ts";
import { deriveEdgeKeys } from "./keys.ts";
import type { RemoteEdge } from "./remote-edge.ts";

const SECRET = "a-secret-of-edges-that-is-long-enough";
const NAME = "files.example";
const FAR = "far.example";
const DAY_MS = 86_400_000;
const LARGE = "0123456789abcdef".repeat(400_000);

test("a static release on another machine", { timeout: 120_000 }, async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-files-"));
  t.after(() => rm(folder, { recursive: true }));
  const fixture = await startPlatformFixture({}, { edgeSecret: SECRET, allowedOrigins: ["127.0.0.1"] });
  let isUp = true;
  const stopMain = async () => {
    if (isUp) await fixture.stop();
    isUp = false;
  };
  t.after(stopMain);
  const { account, server } = fixture;
  const { caCertificatePem } = server;
  const serviceId = newId("service");
  const origin = await startTestOrigin(
    t,
    createServer((_request, response) => response.end("far away")),
  );

  const messages: string[] = [];
  const said = (_fields: object, message: string) => void messages.push(message);
  const start = async (filesMaxBytes: number): Promise<RemoteEdge> =>
    await startTestRemoteEdge({
      controlUrl: server.url,
      secret: SECRET,
      folder,
      filesMaxBytes,
      log: { info: said, warn: said },
    });
  async function serve(name: string, at: Parameters<typeof fixture.cloud.distributions.create>[1]["origin"]) {
    const certificateId = await fixture.issue(account, [name], name);
    const { id, etag } = await fixture.cloud.distributions.create(account, { token: name, origin: at });
    const change = { aliases: [name], certificateId, enabled: true, etag };
    await fixture.cloud.distributions.update(account, id, change);
    return id;
  }
  const release = async (files: Record<string, string>, workload = staticWorkload()) => {
    const released = await fixture.deploy(serviceId, files, workload);
    assert.equal(released.status, "LIVE");
  };
  await release({
    "public/index.html": "<h1>One</h1>",
    "public/docs/page.html": "a page",
    "public/404.html": "not here",
    "public/large.bin": LARGE,
    "public/empty.txt": "",
    "public/x": "x",
  });
  await serve(NAME, { kind: "none", serviceId });
  await serve(FAR, { kind: "host", hostname: origin });
  let edge = await start(2 ** 30);
  t.after(() => edge.stop());
  const get = (at = "/", headers: Record<string, string> = {}, name = NAME) =>
    getFromEdge({ edgePort: edge.port, caCertificatePem }, name, { path: at, headers });
  const comes = (body: string) =>
    until(
      () =>
        get().then(
          (answer) => answer.body === body,
          () => false,
        ),
      `${body} is served`,
    );
  const copies = () =>
    existsSync(path.join(folder, "files"))
      ? readdir(path.join(folder, "files")).then((names) => names.filter((name) => !name.endsWith(".new")))
      : Promise.resolve([]);
  const isCopied = () => until(() => messages.includes("The edge has a copy of a release"), "the copy");

  let etag: string | undefined;
  await t.test("is served as the main machine serves it", async () => {
    await comes("<h1>One</h1>");
    await isCopied();
    const [here, there] = await Promise.all(
      [edge.port, server.edgePort].map((edgePort) =>
        Promise.all(
          ["/", "/docs", "/docs/page", "/none", "/large.bin", "/empty.txt", "/x", "/../x"].map(async (at) => {
            const { status, body, headers } = await getFromEdge({ edgePort, caCertificatePem }, NAME, {
              path: at,
            });
            return {
              at,
              status,
              body,
              etag: headers.etag,
              type: headers["content-type"],
              at_: headers.location,
            };
          }),
        ),
      ),
    );
    assert.deepEqual(here, there);
    assert.deepEqual(
      here?.map(({ status }) => status),
      [200, 301, 200, 404, 200, 200, 200, 404],
    );
    ({ etag } = (await get()).headers);
    assert.equal((await get("/", { "if-none-match": etag ?? "" })).status, 304);
    const part = await get("/large.bin", { range: "bytes=5000000-5000003" });
    assert.deepEqual([part.status, part.body], [206, "0123"]);
  });

  await t.test("is counted here, once", async () => {
    const name = "counted.example.com";
    const counted = await serve(name, { kind: "none", serviceId });
    const count = async () => {
      const traffic = await fixture.cloud.distributions.traffic(account, [counted], new Date(0));
      return traffic?.minutes.reduce((sum, { requests }) => sum + requests, 0) ?? 0;
    };
    const isAnswered = () =>
      get("/", {}, name).then(
        () => true,
        () => false,
      );
    await until(isAnswered, "the name is known here");
    for (let i = 0; i < 5; i += 1) assert.ok(await isAnswered());
    await until(async () => (await count()) >= 6, "the requests are counted");
    assert.equal(await count(), 6);
  });

  await t.test("is replaced by the next release, and the copy before is removed", async () => {
    const [first] = await copies();
    messages.length = 0;
    await release(
      { "public/index.html": "two" },
      { type: "static", buildCommand: null, outputDirectory: "public", singlePageApp: true },
    );
    await comes("two");
    await isCopied();
    const now = await copies();
    assert.equal(now.length, 1);
    assert.notEqual(now[0], first);
  });

  await t.test("is forwarded if it does not fit", async () => {
    await edge.stop();
    await rm(path.join(folder, "files"), { recursive: true });
    edge = await start(2);
    await comes("two");
    await until(() => messages.some((message) => message.includes("do not fit")), "the log says so");
    assert.deepEqual(await copies(), []);
  });

  await t.test("is copied again if the copy is damaged", async () => {
    await edge.stop();
    messages.length = 0;
    edge = await start(2 ** 20);
    await isCopied();
    const [key = ""] = await copies();
    await edge.stop();
    await truncate(path.join(folder, "files", key, "list.sealed"), 5);
    messages.length = 0;
    edge = await start(2 ** 20);
    assert.ok(messages.some((message) => message.includes("is damaged")));
    await isCopied();
  });

  await t.test(
    "is served when the main machine is down for more than a day, after a restart too",
    async () => {
      await stopMain();
      assert.equal((await get("/", {}, FAR)).body, "far away");
      t.mock.timers.enable({ apis: ["Date"], now: Date.now() + 1.5 * DAY_MS });
      for (const _ of [1, 2]) {
        for (const page of ["/", "/orders/17"]) assert.equal((await get(page)).body, "two");
        assert.equal((await get("/old.js")).status, 404);
        assert.equal((await get("/", {}, FAR)).body, "far away");
        await edge.stop();
        edge = await start(2 ** 20);
      }
      t.mock.timers.reset();
    },
  );

  await t.test("a report that the control plane does not answer delays no stop", async () => {
    const silent = await startTestOrigin(t, createServer());
    const other = await startTestRemoteEdge({
      controlUrl: `http://${silent}`,
      secret: SECRET,
      folder: path.join(folder, "other"),
      reportMs: 10,
    });
    const before = performance.now();
    await other.stop();
    assert.ok(performance.now() - before < 4_000);
  });
});

test("a disk that is full", async (t) => {
  const disk = mountSmallDisk(1);
  if (disk === null) return t.skip("needs root, and the right to mount");
  t.after(() => disk.dispose());
  const block = Buffer.alloc(64 * 1024);
  const messages: string[] = [];
  const said = (_fields: object, message: string) => void messages.push(message);
  let sizeBytes = 4 * 1024 ** 2;
  let onRead = (): void => {};
  const folder = path.join(disk.folder, "files");
  const copies = createFileCopies({
    folder,
    maxBytes: 2 ** 30,
    control: {
      readFiles: async () => ({ etag: "one", files: [{ path: "index.html", sizeBytes }] }),
      async readFile() {
        onRead();
        return block;
      },
    },
    keys: deriveEdgeKeys(SECRET),
    log: { info: said, warn: said },
  });
  const follow = () => copies.follow(new Set(["one"]), t.signal);

  // A release that is larger than the free space is not begun.
  onRead = () => assert.fail("it is read");
  await follow();
  assert.ok(messages.some((message) => message.includes("on the disk")));
  sizeBytes = 2 * block.length;
  onRead = () => disk.fill();
  await assert.rejects(
    follow(),
    (error) => error instanceof FolderError && /is not full/.test(error.message),
  );
  assert.deepEqual(await readdir(folder), []);
  onRead = () => {};
  disk.clear();
  await follow();
  assert.notEqual(copies.read("one"), null);
});
