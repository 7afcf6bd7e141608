import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { CloudAccount } from "../../../src/cloud/cloud.ts";
import type { BuildRequest, Platform } from "../../../src/cloud/platform.ts";
import { createSandboxCloud } from "../../../src/cloud/sandbox/adapter.ts";
import { createSandboxPlatform } from "../../../src/cloud/sandbox/platform-adapter.ts";
import { getFromEdge } from "../../../test/helpers/sandbox/edge-client.ts";
import { listProcessesIn } from "../../../test/helpers/sandbox/processes-in.ts";
import {
  commitProgram,
  serverProgram,
  staticWorkload,
  webWorkload,
  workerWorkload,
} from "../../../test/helpers/sandbox/programs.ts";
import { waitFor } from "../../../test/helpers/sandbox/sandbox-fixture.ts";

const PROGRAM = fileURLToPath(new URL("../../../test/helpers/sandbox/sandbox-process.ts", import.meta.url));

type Running = {
  readonly child: ChildProcess;
  readonly url: string;
  readonly edgePort: number;
  readonly caCertificatePem: string;
};

async function start(t: TestContext, dataDir: string): Promise<Running> {
  const child = spawn(process.execPath, [PROGRAM, dataDir, "http://127.0.0.1:1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return { child, ...(JSON.parse(line) as Omit<Running, "child">) };
}

async function end({ child }: Running, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  child.kill(signal);
  await once(child, "exit");
}

const service = (serviceId: string) => ({ serviceId, environmentId: "e", region: "us-west-2" });

async function connect({ url }: Running): Promise<CloudAccount> {
  const answer = await fetch(`${url}/sandbox/stacks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ServiceId: "aws_killed" }),
  });
  const { accountId, roleArn } = (await answer.json()) as { accountId: string; roleArn: string };
  return { connectionId: "aws_killed", accountId, roleArn };
}

async function deploy(platform: Platform, account: CloudAccount, request: BuildRequest): Promise<void> {
  const { token, service, workload } = request;
  await platform.builds.start(account, request);
  const artifact = await waitFor(
    async () => (await platform.builds.describe(account, token))?.artifact ?? null,
  );
  await platform.releases.start(account, { token, service, workload, artifact, variables: [] });
  await waitFor(async () =>
    (await platform.releases.describe(account, token))?.status === "LIVE" ? true : null,
  );
}

test("after kill -9 no process is left; at the next start live releases run and builds continue", async (t) => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "slipway-platform-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const gitDir = path.join(dataDir, "git");
  const first = await start(t, dataDir);
  const account = await connect(first);
  const cloud = createSandboxCloud({ url: first.url, publicUrl: first.url, secret: null });
  const origin = { kind: "none", serviceId: "web" } as const;
  const { domainName } = await cloud.distributions.create(account, { token: "web", origin });
  const platform = createSandboxPlatform({ url: first.url, secret: null });

  const limit = { variables: [], timeLimitSeconds: 60 };
  const id = 'const id = require("node:crypto").randomUUID();';
  const web = await commitProgram(gitDir, "web", { "server.js": serverProgram("response.end(id)", id) });
  const worker = await commitProgram(gitDir, "worker", {
    "worker.js": `process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1000);`,
  });
  const site = await commitProgram(gitDir, "site", { "public/index.html": "site" });
  await Promise.all([
    deploy(platform, account, {
      token: "web",
      service: service("web"),
      workload: webWorkload({ startCommand: "node server.js; exit 1" }),
      source: web,
      ...limit,
    }),
    deploy(platform, account, {
      token: "worker",
      service: service("worker"),
      workload: workerWorkload("node worker.js & wait"),
      source: worker,
      ...limit,
    }),
    deploy(platform, account, {
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

  await end(first, "SIGKILL");
  await waitFor(() => (listProcessesIn(dataDir).length > 0 ? null : true));

  mayGoOn = true;
  const second = await start(t, dataDir);
  const again = createSandboxPlatform({ url: second.url, secret: null });
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
  await end(second, "SIGTERM");
  await waitFor(() => (listProcessesIn(dataDir).length > 0 ? null : true));
});

test("after kill -9, what slept sleeps, and what was being woken is awake", async (t) => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "slipway-platform-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const first = await start(t, dataDir);
  const account = await connect(first);
  const cloud = createSandboxCloud({ url: first.url, publicUrl: first.url, secret: null });
  const origin = { kind: "none", serviceId: "web" } as const;
  const { domainName } = await cloud.distributions.create(account, { token: "web", origin });
  const slow = `setTimeout(() => { ${serverProgram('response.end("up")')} }, 1_000);`;
  const source = await commitProgram(path.join(dataDir, "git"), "web", { "server.js": slow });
  const platformOf = ({ url }: Running) => createSandboxPlatform({ url, secret: null });
  await deploy(platformOf(first), account, {
    token: "web",
    service: service("web"),
    workload: webWorkload(),
    source,
    variables: [],
    timeLimitSeconds: 60,
  });
  const read = async (from: Running) =>
    (await platformOf(from).environments.activity(account, ["e"]))[0] ?? assert.fail();
  const isRunning = () =>
    listProcessesIn(path.join(dataDir, "platform")).some(({ command }) => command.includes("server.js"));
  const { usedAt } = await read(first);
  const slept = await platformOf(first).environments.sleep(account, "e", usedAt);
  assert.ok(slept?.asleepSince);
  await end(first, "SIGKILL");

  const second = await start(t, dataDir);
  assert.deepEqual((await read(second)).asleepSince, slept.asleepSince);
  const health = await platformOf(second).releases.health(account, "web");
  assert.deepEqual([health?.isAsleep, health?.problem, isRunning()], [true, null, false]);
  assert.equal((await getFromEdge(second, domainName)).body, "up");
  const again = await platformOf(second).environments.sleep(account, "e", (await read(second)).usedAt);
  assert.ok(again?.asleepSince);
  await waitFor(() => (isRunning() ? null : true));
  const lost = getFromEdge(second, domainName).catch(() => "lost");
  await waitFor(() => (isRunning() ? true : null));
  await end(second, "SIGKILL");
  assert.equal(await lost, "lost");

  const third = await start(t, dataDir);
  assert.equal((await read(third)).asleepSince, null);
  await waitFor(() => (isRunning() ? true : null));
  assert.equal((await getFromEdge(third, domainName)).body, "up");
  await end(third, "SIGTERM");
});
