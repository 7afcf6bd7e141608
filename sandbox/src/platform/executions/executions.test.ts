/** Executions as real processes: limits, ends of every kind, and what is left afterwards. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { CloudAccount } from "../../../../src/cloud/cloud.ts";
import type { ExecutionRequest, ObservedExecution, Platform } from "../../../../src/cloud/platform.ts";
import {
  connectKilledAccount,
  deployIn,
  endSandbox,
  startSandboxOn,
} from "../../../../test/helpers/sandbox/killed-sandbox.ts";
import {
  newId,
  REGION,
  startPlatformFixture,
  type PlatformFixture,
} from "../../../../test/helpers/sandbox/platform-fixture.ts";
import { listProcessesIn } from "../../../../test/helpers/sandbox/processes-in.ts";
import {
  commitProgram,
  schedulerWorkload,
  serverProgram,
  webWorkload,
} from "../../../../test/helpers/sandbox/programs.ts";
import { waitFor } from "../../../../test/helpers/sandbox/sandbox-fixture.ts";
import { KEPT_EXECUTIONS } from "../retention.ts";

const FILES = { "server.js": serverProgram(`response.end("ok")`), "app/word": "hello" };
const SIZE = { cpu: 0.25, memoryGb: 0.5 };

type Asked = Pick<ExecutionRequest, "release" | "command"> & Partial<ExecutionRequest>;

/** Executions of one account. */
function executionsOf(platform: Platform, account: CloudAccount) {
  const { executions } = platform;
  const see = (token: string, isSeen: (seen: ObservedExecution) => boolean) =>
    waitFor(async () => {
      const seen = await executions.describe(account, token);
      return seen !== null && isSeen(seen) ? seen : null;
    });
  return {
    async start(serviceId: string, asked: Asked): Promise<string> {
      const token = newId("exec");
      const service = { serviceId, environmentId: "e", region: REGION };
      await executions.start(account, { token, service, size: SIZE, timeLimitSeconds: 60, ...asked });
      return token;
    },
    running: (token: string) => see(token, ({ status }) => status === "RUNNING"),
    end: (token: string) => see(token, ({ endedAt }) => endedAt !== null),
  };
}

describe("executions", { concurrency: 3 }, () => {
  let fixture: PlatformFixture;
  let own: ReturnType<typeof executionsOf>;
  before(async () => {
    fixture = await startPlatformFixture({ executionLogMaxBytes: 200_000, stopGraceMs: 300 });
    own = executionsOf(fixture.platform, fixture.account);
  });
  after(() => fixture.stop());

  const textOf = async (token: string) =>
    (await fixture.logOf("executions", token)).map(({ text }) => text).join("\n");
  const processesWith = (word: string) =>
    listProcessesIn(fixture.platformDir).filter(({ command }) => command.includes(word));
  async function deploy(workload = schedulerWorkload()) {
    const serviceId = newId("s");
    const { token, status } = await fixture.deploy(serviceId, FILES, workload);
    assert.equal(status, "LIVE");
    return { serviceId, release: token };
  }

  test("a release of a scheduler is live without a process, and a command begins in its folder", async () => {
    const { serviceId, release } = await deploy({ ...schedulerWorkload(), basePath: "app" });
    const health = await fixture.platform.releases.health(fixture.account, release);
    assert.deepEqual(health, { isRunning: true, isAsleep: false, problem: null });
    const token = await own.start(serviceId, { release, command: "cat word; echo changed > word" });
    assert.equal((await own.end(token)).status, "SUCCEEDED");
    const later = await own.start(serviceId, { release, command: "cat word" });
    assert.equal((await own.end(later)).exitCode, 0);
    assert.match(await textOf(later), /hello/, "each has its own copy");
  });

  test("a command that ignores SIGTERM is killed at its limit, with what it started", async () => {
    const { serviceId, release } = await deploy();
    const command =
      "trap '' TERM; (trap '' TERM; sleep 702) & setsid sleep 705 & echo waiting; sleep 703; sleep 704";
    const token = await own.start(serviceId, { release, command, timeLimitSeconds: 0.5 });
    const { status, exitCode, failure } = await own.end(token);
    assert.deepEqual([status, exitCode, failure?.code], ["TIMED_OUT", null, "TIMED_OUT"]);
    assert.match(failure?.message ?? "", /0\.5 seconds/);
    await waitFor(() => (processesWith("sleep 70").length === 0 ? true : null));
  });

  test("a command that is cancelled ends with all that it forked, also outside its group", async () => {
    const { serviceId, release } = await deploy();
    const command = "trap '' TERM; (trap '' TERM; setsid sleep 741) & (sleep 742 &) ; echo; sleep 743";
    const token = await own.start(serviceId, { release, command });
    await waitFor(() => (processesWith("sleep 74").length >= 3 ? true : null));
    await fixture.platform.executions.cancel(fixture.account, token);
    assert.equal((await own.end(token)).status, "CANCELLED");
    await waitFor(() => (processesWith("sleep 74").length === 0 ? true : null));
  });

  test("a command that prints 1 GB fills neither disk nor memory, and its end is kept", async () => {
    const { serviceId, release } = await deploy();
    const beforeBytes = process.memoryUsage().rss;
    // In lines, and as one line without an end.
    const print = (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' x`;
    const command = `${print(200_000_000)} | fold -w 1000; ${print(800_000_000)}; echo; echo last; exit 4`;
    const token = await own.start(serviceId, { release, command, timeLimitSeconds: 600 });
    const { status, exitCode } = await own.end(token);
    assert.deepEqual([status, exitCode], ["FAILED", 4]);
    const text = await textOf(token);
    assert.ok(text.length < 250_000, `${text.length}`);
    assert.match(text, /last/);
    const grownMb = (process.memoryUsage().rss - beforeBytes) / 1e6;
    assert.ok(grownMb < 300, `The platform grew by ${grownMb} MB.`);
  });

  test("what a command leaves running ends with it, and so does its folder", async () => {
    const { serviceId, release } = await deploy();
    const command = "(trap '' TERM HUP; setsid sleep 711) & (sleep 712 &) ; echo started";
    const token = await own.start(serviceId, { release, command });
    assert.equal((await own.end(token)).status, "SUCCEEDED");
    await waitFor(() => (processesWith("sleep 71").length === 0 ? true : null));
    const folder = path.join(fixture.platformDir, "executions");
    await waitFor(() =>
      readdirSync(folder).every((id) => existsSync(path.join(folder, id, "app"))) ? true : null,
    );
  });

  test("it continues in its files while its release is superseded and its environment sleeps", async () => {
    const serviceId = newId("s");
    const first = await fixture.deploy(serviceId, FILES, webWorkload());
    const command = "until [ -e go ]; do sleep 0.05; done; cat app/word";
    const token = await own.start(serviceId, { release: first.token, command });
    await own.running(token);
    // More builds than are kept for rollbacks: its own would be removed.
    for (let made = 0; made < 7; made += 1) await fixture.deploy(serviceId, FILES, webWorkload());
    const { environments } = fixture.platform;
    await waitFor(
      async () => (await environments.sleep(fixture.account, "e", new Date()))?.asleepSince ?? null,
    );
    assert.equal((await fixture.platform.executions.describe(fixture.account, token))?.status, "RUNNING");
    const folder = path.join(fixture.platformDir, "executions");
    for (const id of readdirSync(folder)) {
      const app = path.join(folder, id, "app");
      if (existsSync(app)) await writeFile(path.join(app, "go"), "");
    }
    const { status, failure } = await own.end(token);
    assert.equal(status, "SUCCEEDED", failure?.message);
    assert.match(await textOf(token), /hello/);
  });

  test("it ends with its service, and leaves no log", async () => {
    const { serviceId, release } = await deploy();
    const token = await own.start(serviceId, { release, command: "echo here; sleep 721" });
    await waitFor(() => (processesWith("sleep 721").length > 0 ? true : null));
    const service = { serviceId, region: REGION };
    await fixture.platform.services.remove(fixture.account, service);
    await waitFor(() => (processesWith("sleep 721").length === 0 ? true : null));
    assert.equal(await fixture.platform.executions.describe(fixture.account, token), null);
  });

  test("a release whose files were deleted has no executions", async () => {
    const serviceId = newId("s");
    const first = await fixture.deploy(serviceId, FILES, schedulerWorkload());
    for (let made = 0; made < 6; made += 1) await fixture.deploy(serviceId, FILES, schedulerWorkload());
    const token = await own.start(serviceId, { release: first.token, command: "true" });
    assert.equal((await own.end(token)).failure?.code, "ARTIFACT_NOT_FOUND");
  });

  test("the newest executions of a service are kept, and the logs of the others are removed", async () => {
    const { serviceId, release } = await deploy();
    const oldest = await own.start(serviceId, { release, command: "echo oldest" });
    await own.end(oldest);
    // Those of an unknown release end at once.
    for (let made = 0; made < KEPT_EXECUTIONS; made += 1)
      await own.start(serviceId, { release: "unknown", command: "true" });
    assert.equal(await fixture.platform.executions.describe(fixture.account, oldest), null);
    await assert.rejects(fixture.platform.executions.logs(fixture.account, oldest, null));
  });
});

test("after kill -9, an execution that ran has failed, and is never run again", async (t) => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "slipway-executions-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const first = await startSandboxOn(t, dataDir);
  const account = await connectKilledAccount(first);
  const source = await commitProgram(path.join(dataDir, "git"), "killed", FILES);
  const service = { serviceId: "s", environmentId: "e", region: REGION };
  const common = { token: "killed", service, workload: schedulerWorkload(), variables: [] };
  await deployIn(first.platform, account, { ...common, source, timeLimitSeconds: 60 });
  const own = executionsOf(first.platform, account);
  const request = { release: "killed", command: "echo begun; sleep 731" };
  const token = await own.start("s", request);
  await waitFor(() =>
    listProcessesIn(dataDir).some(({ command }) => command.startsWith("sleep 731")) ? true : null,
  );
  await endSandbox(first, "SIGKILL");
  await waitFor(() => (listProcessesIn(dataDir).length > 0 ? null : true));

  const second = await startSandboxOn(t, dataDir);
  const again = { token, service, size: SIZE, timeLimitSeconds: 60, ...request };
  const { status, failure, exitCode } = await second.platform.executions.start(account, again);
  assert.deepEqual([status, failure?.code, exitCode], ["FAILED", "INTERRUPTED", null]);
  const { lines } = await second.platform.executions.logs(account, token, null);
  assert.equal(lines.filter(({ text }) => text === "begun").length, 1);
  assert.match(lines.at(-1)?.text ?? "", /is not run again/);
  assert.deepEqual(listProcessesIn(dataDir), []);
  await endSandbox(second, "SIGKILL");
});
