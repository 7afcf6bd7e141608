/**
 * `kill -9` of an own server's cloud at each of its writes: of connections, managed values, certificates, distributions,
 * builds and releases. A write point needs no registration: the process counts its writes itself. Each cell plays a whole
 * story with one death, and compares the end with the answers that it got.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { request } from "node:https";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, test, type TestContext } from "node:test";
import { createCallPolicy } from "../../src/cloud/calls/policy.ts";
import { type CloudAccount, CloudError } from "../../src/cloud/cloud.ts";
import { createHostCloud } from "../../src/cloud/sandbox/adapter.ts";
import { createSandboxPlatform } from "../../src/cloud/sandbox/platform-adapter.ts";
import { freePort } from "../helpers/free-port.ts";
import { startGitServer } from "../helpers/git/git-server.ts";
import { startLocalServer } from "../helpers/git/local-server.ts";
import type { Death, DyingHostSettings } from "../helpers/host/dying-host.ts";
import { EDGE_HOSTNAME } from "../helpers/host/host-instance.ts";
import { startTestNames } from "../helpers/host/names.ts";
import { startPebble } from "../helpers/host/pebble.ts";
import { listProcessesIn } from "../helpers/sandbox/processes-in.ts";
import { commitProgram, serverProgram, webWorkload } from "../helpers/sandbox/programs.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const PROGRAM = path.join(import.meta.dirname, "../helpers/host/dying-host.ts");
const FULL = process.env["SLIPWAY_TEST_FULL"] === "1";
/** OpenBao or Vault for the managed values, as `npm run test:vault` has it. */
const VAULT = process.env["SLIPWAY_TEST_VAULT"] ?? "";
/** Cells of the gate, chosen anew each time; the full run plays them all. */
const SAMPLE = 5;
const REGION = "us-west-2";
const NAME = "www.shop.example";
const SECRET = "secret-of-the-crash-matrix";
const PATIENCE_MS = 60_000;

/** A death in the first life of the server, or in the second, which begins before everything is deleted. */
type Cell = Death & { readonly life: 0 | 1 };

/** The server as a supervisor runs it: it starts again when it ends. */
async function startWorld(t: TestContext, cell: Cell | null) {
  const folder = await makeTempDir("crash-matrix");
  t.after(() => rm(folder, { recursive: true, force: true }));
  const names = await startTestNames();
  t.after(() => names.stop());
  const [api, http, https, dns] = [await freePort(), await freePort(), await freePort(), await freePort()];
  for (const name of [EDGE_HOSTNAME, `*.${EDGE_HOSTNAME}`, NAME]) names.set(name, "A", "127.0.0.1");
  names.delegate(`acme.${EDGE_HOSTNAME}`, dns);
  const pebble = await startPebble({ dns: names, httpPort: http, httpsPort: https });
  t.after(() => pebble.stop());
  const git = await startGitServer({ folder, login: null });
  t.after(() => git.close());
  const reports = await startLocalServer("http", (incoming, response) => {
    incoming.resume();
    response.end();
  });
  t.after(() => reports.close());
  const settings: DyingHostSettings = {
    dataDir: path.join(folder, "host"),
    keysDir: path.join(folder, "keys"),
    hostname: EDGE_HOSTNAME,
    ports: { api, http, https, dns },
    directory: pebble.directory,
    caPem: pebble.caPem,
    dns: { host: names.host, port: names.port },
    secret: SECRET,
    callbackUrl: reports.url,
    openBao: VAULT === "" ? null : { address: VAULT, token: process.env["SLIPWAY_TEST_VAULT_TOKEN"] ?? "" },
    death: null,
  };
  let isOver = false;
  let deaths = 0;
  let isSecondLife = false;
  let hasDied = false;
  let isEnding = false;
  const writes: [number, number] = [0, 0];
  const run = () => {
    const life = isSecondLife ? 1 : 0;
    const death = cell?.life === life && !hasDied ? cell : null;
    const started = spawn(
      process.execPath,
      ["--no-warnings", PROGRAM, JSON.stringify({ ...settings, death })],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    started.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      writes[life] = Number(chunk.trim().split("\n").at(-1));
    });
    return started;
  };
  let child = run();
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.once("exit", killAtExit);
  const supervise = async (): Promise<void> => {
    for (;;) {
      await once(child, "exit");
      if (isOver) return;
      deaths += 1;
      if (!isEnding) hasDied = true;
      isEnding = false;
      child = run();
    }
  };
  const supervised = supervise();
  t.after(async () => {
    isOver = true;
    child.kill("SIGKILL");
    await supervised;
    process.removeListener("exit", killAtExit);
  });
  const url = `http://127.0.0.1:${api}`;
  const policy = createCallPolicy({ attempts: 1, attemptMs: 10_000, callMs: Number.MAX_SAFE_INTEGER });
  return {
    folder,
    pebble,
    url,
    git,
    cloud: createHostCloud({
      url,
      publicUrl: "https://slipway.example.com",
      secret: SECRET,
      caaIssuers: async () => [],
      policy,
    }),
    platform: createSandboxPlatform({ url, secret: SECRET, policy }),
    hasDied: () => hasDied,
    writes,
    /** Begins the second life. */
    async kill() {
      const before = deaths;
      isEnding = true;
      isSecondLife = true;
      child.kill("SIGKILL");
      await until(() => deaths > before, "it has ended");
    },
    async get(at: string): Promise<string> {
      const ca = await pebble.rootPem();
      const sent = request({
        host: "127.0.0.1",
        port: https,
        path: at,
        servername: NAME,
        headers: { host: NAME },
        ca,
        agent: false,
      });
      sent.end();
      const [answer] = await once(sent, "response");
      return await text(answer);
    },
  };
}

/** Repeats a call until it is answered, as Slipway's reconcilers do. @throws what the server refuses for good */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  const endsAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isFinal = error instanceof CloudError && (error.kind === "invalid" || error.kind === "denied");
      if (isFinal || performance.now() > endsAt) throw error;
      await sleep(50);
    }
  }
}

const untilSome = async <T>(read: () => Promise<T | null | false>, what: string): Promise<T> =>
  await until(async () => await insist(read), what, PATIENCE_MS);

/** @returns whether the server died at that write, and how many writes it made in each life */
async function play(t: TestContext, cell: Cell | null) {
  const world = await startWorld(t, cell);
  const { cloud, platform, folder, pebble, git } = world;

  // A connection.
  const connectionId = "aws_crash";
  const connect = async (): Promise<CloudAccount> => {
    const answer = await fetch(`${world.url}/host/connections`, {
      method: "POST",
      headers: { authorization: `Bearer ${SECRET}`, "content-type": "application/json" },
      body: JSON.stringify({ ServiceId: connectionId }),
      signal: AbortSignal.timeout(10_000),
    });
    const { accountId, roleArn } = (await answer.json()) as { accountId: string; roleArn: string };
    return { connectionId, accountId, roleArn };
  };
  const account = await insist(connect);

  // Values, of which each token writes one version.
  const parameter = {
    region: REGION,
    name: "/slipway/project_crash/env_crash/TOKEN",
    value: "parameter-1",
    token: "p",
  };
  const secret = {
    region: REGION,
    name: "slipway/project_crash/env_crash/PASSWORD",
    value: "secret-1",
    token: "s",
  };
  const { reference: parameterRef } = await insist(() => cloud.parameters.put(account, parameter));
  const { reference: secretRef } = await insist(() => cloud.secrets.put(account, secret));

  // A certificate, and a service that shows its values.
  const wanted = { names: [NAME], token: "c" };
  const { id: certificateId } = await insist(() => cloud.certificates.request(account, wanted));
  const source = await commitProgram(folder, "shop", {
    "server.js": serverProgram("response.end(`${process.env.TOKEN} ${process.env.PASSWORD}`)"),
  });
  const service = { serviceId: "svc_crash", environmentId: "env_crash", region: REGION };
  const workload = webWorkload();
  const build = {
    token: "b",
    service,
    workload,
    source: { ...source, repoUrl: `https://gitlab.test:${git.port}/shop.git` },
    variables: [],
    timeLimitSeconds: 60,
  };
  await insist(() => platform.builds.start(account, build));
  const artifact = await untilSome(async () => {
    const seen = await platform.builds.describe(account, "b");
    assert.ok(seen !== null && seen.failure === null, JSON.stringify(seen?.failure));
    return seen.artifact;
  }, "the build ends");
  const release = {
    token: "r",
    service,
    workload,
    artifact,
    variables: [
      { name: "TOKEN", kind: "fromParameterStore", reference: parameterRef },
      { name: "PASSWORD", kind: "fromSecretsManager", reference: secretRef },
    ],
  } as const;
  await insist(() => platform.releases.start(account, release));
  await untilSome(async () => {
    const seen = await platform.releases.describe(account, "r");
    assert.ok(seen !== null && seen.failure === null, JSON.stringify(seen?.failure));
    return seen.status === "LIVE";
  }, "the release is live");

  // A distribution, which serves it under the name.
  const origin = { kind: "none", serviceId: service.serviceId } as const;
  const { id } = await insist(() => cloud.distributions.create(account, { token: "d", origin }));
  await untilSome(
    async () => (await cloud.certificates.describe(account, certificateId))?.status === "ISSUED",
    "the certificate is issued",
  );
  const attach = async (aliases: readonly string[], certificate: string | null, enabled: boolean) =>
    await insist(async () => {
      const seen = await cloud.distributions.describe(account, id);
      assert.ok(seen);
      const { etag } = seen;
      return await cloud.distributions.update(account, id, {
        aliases,
        certificateId: certificate,
        enabled,
        etag,
      });
    });
  await attach([NAME], certificateId, true);

  // Acknowledged writes survive another death, and nothing was done twice.
  await world.kill();
  assert.equal(await insist(() => world.get("/")), "parameter-1 secret-1");
  assert.deepEqual(await insist(connect), account);
  assert.equal((await insist(() => cloud.parameters.put(account, parameter))).reference, parameterRef);
  assert.equal((await insist(() => cloud.secrets.put(account, secret))).reference, secretRef);
  assert.equal((await insist(() => cloud.certificates.request(account, wanted))).id, certificateId);
  assert.equal((await insist(() => cloud.certificates.list(account))).length, 1);
  const platformFolder = path.join(folder, "host", "platform");
  assert.equal(readdirSync(path.join(platformFolder, "releases")).length, 1);
  // The process of a release is started again when it ends.
  await until(() => {
    const running = listProcessesIn(path.join(platformFolder, "releases"));
    return new Set(running.map((one) => one.folder.split("/")[0])).size === 1;
  }, "the processes of one release run");
  assert.equal(readdirSync(path.join(platformFolder, "builds")).length, 1);

  // The end of everything.
  await attach([], null, false);
  await untilSome(async () => {
    const seen = await cloud.distributions.describe(account, id);
    return seen === null || (await cloud.distributions.delete(account, id, seen.etag)) === "deleted";
  }, "the distribution is deleted");
  await untilSome(
    async () => (await cloud.certificates.delete(account, certificateId)) === "deleted",
    "the certificate is deleted",
  );
  await insist(() => cloud.parameters.delete(account, parameter));
  await insist(() => cloud.secrets.delete(account, secret));
  await insist(() => platform.services.remove(account, service));
  await until(
    () => ["builds", "releases"].every((part) => readdirSync(path.join(platformFolder, part)).length === 0),
    "no folder is left",
  );
  assert.deepEqual(await insist(() => cloud.certificates.list(account)), []);
  assert.deepEqual(listProcessesIn(platformFolder), []);
  assert.ok(existsSync(path.join(folder, "keys", "host.key")));

  // The customer's name and the distribution's. An order whose check fell into a death was ended by the CA, and another
  // follows if its name still exists.
  const count = (pattern: RegExp): number => [...pebble.log().matchAll(pattern)].length;
  const orders = count(/Added order/g);
  assert.ok(orders >= 1 && orders <= 2 + count(/authz \S+ set INVALID/g), pebble.log());
  assert.deepEqual(
    [...pebble.log().matchAll(/There are now (\d+) accounts/g)].map(([, n]) => n),
    ["1"],
  );
  return { hasDied: world.hasDied(), writes: world.writes };
}

/** With `SLIPWAY_TEST_FULL`, each write of two lives. */
const LONG = { timeout: 3_600_000 };

describe("kill -9 of an own server's cloud", LONG, () => {
  test("at its writes: nothing that it acknowledged is lost, and nothing is done twice", LONG, async (t) => {
    const { writes } = await play(t, null);
    t.diagnostic(`${writes.join(" and ")} writes in the two lives`);
    assert.ok(Math.min(...writes) > 10);
    const cells = writes.flatMap((count, life) =>
      Array.from({ length: count }, (_, index) =>
        (["before", "after"] as const).map(
          (moment) => ({ life: life === 0 ? 0 : 1, at: index + 1, moment }) as const,
        ),
      ).flat(),
    );
    const chosen = FULL ? cells : Array.from({ length: SAMPLE }, () => cells[randomInt(cells.length)]);
    let deaths = 0;
    for (const cell of chosen) {
      if (cell === undefined) continue;
      const name = `life ${cell.life + 1}, ${cell.moment} write ${cell.at}`;
      await t.test(name, async (inner) => {
        if ((await play(inner, cell)).hasDied) deaths += 1;
      });
    }
    t.diagnostic(`${deaths} deaths in ${chosen.length} cells`);
    // The number of polls, and so of the last writes, differs a little.
    assert.ok(deaths >= chosen.length / 2);
  });
});
