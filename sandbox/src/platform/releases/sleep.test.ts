/** Environments that sleep, with real processes: at the edge, at another edge, and between services. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { connect as connectSecurely } from "node:tls";
import { type TestContext, test } from "node:test";
import { startTestRemoteEdge } from "../../../../edge/src/testing.ts";
import { getFromEdge } from "../../../../test/helpers/sandbox/edge-client.ts";
import {
  type PlatformFixture,
  REGION,
  startPlatformFixture,
} from "../../../../test/helpers/sandbox/platform-fixture.ts";
import { listProcessesIn } from "../../../../test/helpers/sandbox/processes-in.ts";
import { serverProgram, webWorkload, workerWorkload } from "../../../../test/helpers/sandbox/programs.ts";
import { waitFor } from "../../../../test/helpers/sandbox/sandbox-fixture.ts";
import type { PlatformTuning } from "../tuning.ts";

/** The environment of all services of a fixture. */
const ENVIRONMENT = "e";
const SECRET = "a-secret-of-edges-that-is-long-enough";
/** It keeps a file, by which a later start knows that it is not the first. */
const COUNTED = `const fs = require("node:fs"); fs.appendFileSync("starts", "."); const starts = fs.readFileSync("starts").length;`;
const FILES = {
  "server.js": serverProgram("response.end(String(starts))", COUNTED),
  "worker.js": "setInterval(() => undefined, 1000)",
};

async function start(t: TestContext, tuning: Partial<PlatformTuning> = {}) {
  const fixture = await startPlatformFixture(tuning, { edgeSecret: SECRET });
  t.after(() => fixture.stop());
  const ask = await fixture.distribute({ kind: "none", serviceId: "web" });
  return { fixture, ask };
}

const read = async ({ platform, account }: PlatformFixture) =>
  (await platform.environments.activity(account, [ENVIRONMENT]))[0] ?? null;
/** Puts the environment to sleep, unless it is in use. @returns whether it sleeps then */
async function sleep(fixture: PlatformFixture): Promise<boolean> {
  const { usedAt } = (await read(fixture)) ?? assert.fail("nothing is live");
  const after = await fixture.platform.environments.sleep(fixture.account, ENVIRONMENT, usedAt);
  return (after?.asleepSince ?? null) !== null;
}
const runs = ({ platformDir }: PlatformFixture, command: string) =>
  listProcessesIn(platformDir).some((one) => one.command.startsWith(command));
const untilRunning = (fixture: PlatformFixture, isRunning: boolean) =>
  waitFor(() =>
    ["node server.js", "node worker.js"].every((one) => runs(fixture, one) === isRunning) ? true : null,
  );

test("a request wakes all services of an environment, and is answered by them", async (t) => {
  const { fixture, ask } = await start(t);
  const { platform, account } = fixture;
  assert.equal(await read(fixture), null);
  await fixture.deploy("worker", FILES, workerWorkload("node worker.js"));
  assert.equal(await read(fixture), null, "without a web service, no request could wake it");
  await fixture.deploy("private", FILES, webWorkload({ isPrivate: true }));
  assert.equal(await read(fixture), null, "visitors reach no private service");
  await fixture.platform.services.remove(account, { serviceId: "private", region: REGION });
  const { token, url } = await fixture.deploy("web", FILES, webWorkload());
  assert.equal((await ask()).body, "1");
  const before = await read(fixture);
  await fetch(url ?? "");
  assert.deepEqual(await read(fixture), before, "requests of services do not count");

  assert.ok(await sleep(fixture));
  await untilRunning(fixture, false);
  assert.deepEqual(await platform.releases.health(account, token), {
    isRunning: false,
    isAsleep: true,
    problem: null,
  });
  assert.equal((await platform.releases.describe(account, token))?.status, "LIVE");
  const answers = await Promise.all([ask(), ask({ method: "POST", body: "x" }), ask()]);
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    Array.from({ length: 3 }, () => [200, "2"]),
    "its files are still there",
  );
  assert.equal((await read(fixture))?.asleepSince, null);
  await untilRunning(fixture, true);

  // Another service of the account may know its port.
  assert.ok(await sleep(fixture));
  await untilRunning(fixture, false);
  assert.equal(await (await fetch(url ?? "")).text(), "3");
  assert.equal((await read(fixture))?.asleepSince, null);
  const log = (await fixture.logOf("releases", token)).map(({ text }) => text).join("\n");
  assert.match(log, /not in use: the process is stopped[^]*in use again: the process is started/);
});

test("a request that comes while the processes are being ended is answered too", async (t) => {
  const { fixture, ask } = await start(t);
  const slowly = `${COUNTED} process.on("SIGTERM", () => setTimeout(() => process.exit(0), 400));`;
  const server = serverProgram("response.end(String(starts))", slowly);
  await fixture.deploy("web", { "server.js": server }, webWorkload({ startCommand: "exec node server.js" }));
  assert.ok(await sleep(fixture));
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask()));
  assert.deepEqual(new Set(answers.map(({ status, body }) => `${status} ${body}`)), new Set(["200 2"]));
});

test("an environment in use does not fall asleep", async (t) => {
  const { fixture, ask } = await start(t);
  let mayEnd = false;
  const sign = createServer((_request, response) => response.end(mayEnd ? "end" : "wait")).listen(
    0,
    "127.0.0.1",
  );
  await once(sign, "listening");
  t.after(() => sign.close());
  const signUrl = `http://127.0.0.1:${(sign.address() as AddressInfo).port}`;
  const server = serverProgram(`
    if (request.url !== "/slow") return void response.end("at once");
    const look = async () => {
      if ((await (await fetch(${JSON.stringify(signUrl)})).text()) === "end") response.end("ended");
      else setTimeout(look, 20);
    };
    void look()`);
  await fixture.deploy("web", { "server.js": server }, webWorkload());
  const { usedAt } = (await read(fixture)) ?? assert.fail();
  const slow = ask({ path: "/slow" });
  await waitFor(async () => ((await read(fixture))?.usedAt ?? usedAt) > usedAt || null);
  assert.equal(await sleep(fixture), false);
  mayEnd = true;
  assert.equal((await slow).body, "ended");

  // A use that was not known when the decision was made.
  const stale = (await read(fixture))?.usedAt ?? assert.fail();
  await waitFor(() => Date.now() > stale.getTime() || null);
  await ask();
  const after = await fixture.platform.environments.sleep(fixture.account, ENVIRONMENT, stale);
  assert.equal(after?.asleepSince, null);
  assert.ok(await sleep(fixture));
});

test("a WebSocket wakes an environment, and keeps it awake while it is open", async (t) => {
  const { fixture } = await start(t);
  const server = `const server = ${serverProgram("response.end()")
    .trim()
    .replace(/\.listen.*$/, ";")}
    server.on("upgrade", (request, socket) => {
      socket.on("error", () => undefined);
      socket.write("HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n");
      socket.resume();
    }).listen(process.env.PORT, "127.0.0.1");`;
  await fixture.deploy("web", { "server.js": server }, webWorkload());
  const { domainName } = await fixture.cloud.distributions.create(fixture.account, {
    token: "sockets",
    origin: { kind: "none", serviceId: "web" },
  });
  assert.ok(await sleep(fixture));
  const opening = connectSecurely({
    host: "127.0.0.1",
    port: fixture.server.edgePort,
    servername: domainName,
    ca: fixture.server.caCertificatePem,
  });
  t.after(() => opening.destroy());
  opening.write(
    `GET / HTTP/1.1\r\nHost: ${domainName}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  const [first] = (await once(opening, "data")) as [Buffer];
  assert.match(first.toString(), /^HTTP\/1\.1 101 /);
  assert.equal(await sleep(fixture), false);
  opening.destroy();
  await waitFor(async () => (await sleep(fixture)) || null);
});

test("a release wakes its environment; what does not start answers 503 and says when to try again", async (t) => {
  const { fixture, ask } = await start(t, { wakePatienceMs: 300, requestPatienceMs: 300 });
  const onlyOnce = serverProgram(
    "response.end(String(starts))",
    `${COUNTED} if (starts > 1) process.exit(1);`,
  );
  await fixture.deploy("web", { "server.js": onlyOnce }, webWorkload());
  assert.ok(await sleep(fixture));
  const late = await ask();
  assert.deepEqual([late.status, late.headers["retry-after"]], [503, "5"]);
  assert.match(late.body, /being started\. Try again/);
  await fixture.deploy("web", FILES, webWorkload());
  assert.equal((await ask()).body, "1");
  assert.ok(await sleep(fixture));
  await fixture.deploy("worker", FILES, workerWorkload("node worker.js"));
  assert.equal((await read(fixture))?.asleepSince, null);
  await untilRunning(fixture, true);
});

test("a removed environment leaves nothing behind, and does not sleep when it is made again", async (t) => {
  const { fixture, ask } = await start(t);
  await fixture.deploy("web", FILES, webWorkload());
  assert.ok(await sleep(fixture));
  await fixture.platform.services.remove(fixture.account, { serviceId: "web", region: "us-west-2" });
  assert.equal(await read(fixture), null);
  await fixture.deploy("web", FILES, webWorkload());
  assert.equal((await read(fixture))?.asleepSince, null);
  assert.equal((await ask()).body, "1");
});

test("a request at an edge on another machine wakes it too", async (t) => {
  const { fixture } = await start(t);
  await fixture.deploy("web", FILES, webWorkload());
  const { domainName } = await fixture.cloud.distributions.create(fixture.account, {
    token: "far",
    origin: { kind: "none", serviceId: "web" },
  });
  const folder = path.join(fixture.platformDir, "../far");
  const edge = await startTestRemoteEdge({ controlUrl: fixture.server.url, secret: SECRET, folder });
  t.after(() => edge.stop());
  const far = { edgePort: edge.port, caCertificatePem: fixture.server.caCertificatePem };
  await waitFor(async () => (await getFromEdge(far, domainName).catch(() => null))?.body === "1" || null);
  assert.ok(await sleep(fixture));
  const woken = await getFromEdge(far, domainName);
  assert.deepEqual([woken.status, woken.body], [200, "2"]);
});
