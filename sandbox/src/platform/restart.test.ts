import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { createSandboxCloud } from "../../../src/cloud/sandbox/adapter.ts";
import { getFromEdge } from "../../../test/helpers/sandbox/edge-client.ts";
import {
  connectKilledAccount,
  deployIn,
  endSandbox,
  type KilledSandbox,
  startSandboxOn,
} from "../../../test/helpers/sandbox/killed-sandbox.ts";
import { listProcessesIn } from "../../../test/helpers/sandbox/processes-in.ts";
import {
  commitProgram,
  serverProgram,
  staticWorkload,
  webWorkload,
  workerWorkload,
} from "../../../test/helpers/sandbox/programs.ts";
import { waitFor } from "../../../test/helpers/sandbox/sandbox-fixture.ts";

const service = (serviceId: string) => ({ serviceId, environmentId: "e", region: "us-west-2" });

test("after kill -9 no process is left; at the next start live releases run and builds continue", async (t) => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "slipway-platform-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const gitDir = path.join(dataDir, "git");
  const first = await startSandboxOn(t, dataDir);
  const account = await connectKilledAccount(first);
  const cloud = createSandboxCloud({ url: first.url, publicUrl: first.url, secret: null });
  const origin = { kind: "none", serviceId: "web" } as const;
  const { domainName } = await cloud.distributions.create(account, { token: "web", origin });
  const platform = first.platform;

  const limit = { variables: [], timeLimitSeconds: 60 };
  const id = 'const id = require("node:crypto").randomUUID();';
  const web = await commitProgram(gitDir, "web", { "server.js": serverProgram("response.end(id)", id) });
  const worker = await commitProgram(gitDir, "worker", {
    "worker.js": `process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000);`,
  });
  const site = await commitProgram(gitDir, "site", { "public/index.html": "site" });
  await Promise.all([
    deployIn(platform, account, {
      token: "web",
      service: service("web"),
      workload: webWorkload({ startCommand: "node server.js; exit 1" }),
      source: web,
      ...limit,
    }),
    deployIn(platform, account, {
      token: "worker",
      service: service("worker"),
      workload: workerWorkload("node worker.js & wait"),
      source: worker,
      ...limit,
    }),
    deployIn(platform, account, {
      token: "site",
      service: service("site"),
      workload: staticWorkload(),
      source: site,
      ...limit,
    }),
  ]);
  // Hangs at first; continues after the restart.
  let mayGoOn = false;
  const sign = createServer((_request, response) => response.end(mayGoOn ? "continue" : "wait"));
  sign.listen(0, "127.0.0.1");
  await once(sign, "listening");
  t.after(() => sign.close());
  const signUrl = `http://127.0.0.1:${(sign.address() as AddressInfo).port}`;
  const asking = `fetch("${signUrl}").then((it) => it.text()).then((it) => process.exit(it === "continue" ? 0 : 1))`;
  const command = `node -e '${asking}' || sleep 600`;
  await platform.builds.start(account, {
    token: "interrupted",
    service: service("other"),
    workload: staticWorkload("public", command),
    source: site,
    ...limit,
  });
  const isRunning = (text: string) => {
    const all = listProcessesIn(path.join(dataDir, "platform"));
    return all.some(({ command: line }) => line.startsWith(text));
  };
  await waitFor(() => (["node server", "node worker", "sleep 600"].every(isRunning) ? true : null));
  const before = await (await fetch((await platform.releases.describe(account, "web"))?.url ?? "")).text();
  const siteUrl = (await platform.releases.describe(account, "site"))?.url;
  const webUrl = (await platform.releases.describe(account, "web"))?.url;

  await endSandbox(first, "SIGKILL");
  await waitFor(() => (listProcessesIn(dataDir).length > 0 ? null : true));

  mayGoOn = true;
  const second = await startSandboxOn(t, dataDir);
  const again = second.platform;
  // The first request waits for the process that is being started.
  const served = await getFromEdge(second, domainName);
  assert.equal(served.status, 200);
  assert.notEqual(served.body, before);
  assert.equal((await again.releases.describe(account, "site"))?.url, siteUrl);
  assert.equal(await (await fetch(siteUrl ?? "")).text(), "site");
  assert.equal(await (await fetch(webUrl ?? "")).text(), served.body);
  await waitFor(async () =>
    (await again.builds.describe(account, "interrupted"))?.status === "SUCCEEDED" ? true : null,
  );
  const log = await again.builds.logs(account, "interrupted", null);
  assert.ok(log.lines.some(({ text }) => /during the build\. The build starts again/.test(text)));
  await waitFor(() => (["node server", "node worker"].every(isRunning) ? true : null));

  // When stopped, it takes its processes with it.
  await endSandbox(second, "SIGTERM");
  await waitFor(() => (listProcessesIn(dataDir).length > 0 ? null : true));
});

test("after kill -9, what slept sleeps, and what was being woken is awake", async (t) => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "slipway-platform-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const first = await startSandboxOn(t, dataDir);
  const account = await connectKilledAccount(first);
  const cloud = createSandboxCloud({ url: first.url, publicUrl: first.url, secret: null });
  const origin = { kind: "none", serviceId: "web" } as const;
  const { domainName } = await cloud.distributions.create(account, { token: "web", origin });
  const slow = `setTimeout(() => { ${serverProgram('response.end("up")')} }, 1_000);`;
  const source = await commitProgram(path.join(dataDir, "git"), "web", { "server.js": slow });
  await deployIn(first.platform, account, {
    token: "web",
    service: service("web"),
    workload: webWorkload(),
    source,
    variables: [],
    timeLimitSeconds: 60,
  });
  const read = async (from: KilledSandbox) =>
    (await from.platform.environments.activity(account, ["e"]))[0] ?? assert.fail();
  const isRunning = () =>
    listProcessesIn(path.join(dataDir, "platform")).some(({ command }) => command.includes("server.js"));
  const { usedAt } = await read(first);
  const slept = await first.platform.environments.sleep(account, "e", usedAt);
  assert.ok(slept?.asleepSince);
  await endSandbox(first, "SIGKILL");

  const second = await startSandboxOn(t, dataDir);
  assert.deepEqual((await read(second)).asleepSince, slept.asleepSince);
  const health = await second.platform.releases.health(account, "web");
  assert.deepEqual([health?.isAsleep, health?.problem, isRunning()], [true, null, false]);
  assert.equal((await getFromEdge(second, domainName)).body, "up");
  const again = await second.platform.environments.sleep(account, "e", (await read(second)).usedAt);
  assert.ok(again?.asleepSince);
  await waitFor(() => (isRunning() ? null : true));
  const lost = getFromEdge(second, domainName).catch(() => "lost");
  await waitFor(() => (isRunning() ? true : null));
  await endSandbox(second, "SIGKILL");
  assert.equal(await lost, "lost");

  const third = await startSandboxOn(t, dataDir);
  assert.equal((await read(third)).asleepSince, null);
  await waitFor(() => (isRunning() ? true : null));
  assert.equal((await getFromEdge(third, domainName)).body, "up");
  await endSandbox(third, "SIGTERM");
});
