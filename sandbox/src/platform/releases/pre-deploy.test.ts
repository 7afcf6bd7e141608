/** The command before a release, as a real process: once, in the new files, before anything switches. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test, type TestContext } from "node:test";
import {
  buildIn,
  connectKilledAccount,
  endSandbox,
  type KilledSandbox,
  startSandboxOn,
} from "../../../../test/helpers/sandbox/killed-sandbox.ts";
import {
  newId,
  REGION,
  startPlatformFixture,
  type PlatformFixture,
} from "../../../../test/helpers/sandbox/platform-fixture.ts";
import { listProcessesIn } from "../../../../test/helpers/sandbox/processes-in.ts";
import { commitProgram, serverProgram, webWorkload } from "../../../../test/helpers/sandbox/programs.ts";
import { waitFor } from "../../../../test/helpers/sandbox/sandbox-fixture.ts";

const FILES = {
  "server.js": serverProgram(`response.end(require("node:fs").readFileSync("ran.txt", "utf8"))`),
};
const withCommand = (preDeployCommand: string) => webWorkload({ preDeployCommand });
/** Where commands report that they run; each waits until its answer is `end`. */
async function startSign(t: TestContext) {
  let mayEnd = false;
  let begun = 0;
  let now = 0;
  let most = 0;
  const server = createServer((request, response) => {
    if (request.url === "/begin") {
      begun += 1;
      now += 1;
      most = Math.max(most, now);
      request.socket.once("close", () => (now -= 1));
    }
    response.end(mayEnd ? "end" : "wait");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wait = `
    const agent = new (require("node:http").Agent)({ keepAlive: true, maxSockets: 1 });
    const ask = (path) => require("node:http").get("${url}" + path, { agent }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => (text += chunk));
      answer.on("end", () => { if (text === "end") process.exit(0); setTimeout(ask, 20, "/"); });
    });
    ask("/begin");`;
  return {
    files: { ...FILES, "wait.js": wait },
    command: "node wait.js && echo ran >> ran.txt",
    begun: () => begun,
    most: () => most,
    letEnd: () => (mayEnd = true),
  };
}

describe("the command before a release", { concurrency: 3 }, () => {
  let fixture: PlatformFixture;
  before(async () => {
    fixture = await startPlatformFixture({ logMaxBytes: 200_000, stopGraceMs: 300 });
  });
  after(() => fixture.stop());

  const textOf = async (token: string) =>
    (await fixture.logOf("releases", token)).map(({ text }) => text).join("\n");

  test("runs once in the new files, with the variables of the release, before its process", async () => {
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    const workload = withCommand('echo "$GREETING" >> ran.txt; echo prepared');
    const variables = [{ name: "GREETING", kind: "plainText", value: "hello" }] as const;
    const live = await fixture.deploy(serviceId, FILES, workload, variables);
    assert.equal(live.status, "LIVE", JSON.stringify(live));
    assert.equal((await ask()).body, "hello\n");
    assert.match(
      await textOf(live.token),
      /Running before the release: echo[\s\S]*prepared[\s\S]*Starting: node/,
    );
    const service = { serviceId, environmentId: "e", region: REGION };
    const again = { token: live.token, service, workload, artifact: "", variables };
    assert.equal((await fixture.platform.releases.start(fixture.account, again)).status, "LIVE");
    assert.equal((await ask()).body, "hello\n");
  });

  test("ends the release if it fails, and the old one serves meanwhile and afterwards", async (t) => {
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    await fixture.deploy(serviceId, FILES, withCommand("echo old > ran.txt"));
    const sign = await startSign(t);
    const failing = withCommand(`${sign.command}; echo the reason >&2; exit 7`);
    const ending = fixture.deploy(serviceId, sign.files, failing);
    await waitFor(() => (sign.begun() > 0 ? true : null));
    assert.equal((await ask()).body, "old\n");
    sign.letEnd();
    const { token, status, failure } = await ending;
    assert.equal(status, "FAILED");
    assert.deepEqual(failure, {
      code: "PRE_DEPLOY_FAILED",
      message: "preDeployCommand ended with exit code 7; the log says why.",
    });
    assert.match(await textOf(token), /the reason/);
    assert.doesNotMatch(await textOf(token), /Starting: node/);
    assert.equal((await ask()).body, "old\n");
  });

  test("hides managed values in its output", async () => {
    const { account, cloud } = fixture;
    const serviceId = newId("s");
    const write = {
      region: REGION,
      name: `/slipway/p/e/${serviceId}`,
      token: "1",
      value: "very-secret-value",
    };
    const stored = await cloud.secrets.put(account, write);
    const variables = [{ name: "S", kind: "fromSecretsManager", ...stored }] as const;
    const workload = withCommand('echo "it is $S"; exit 1');
    const { token, failure } = await fixture.deploy(serviceId, FILES, workload, variables);
    assert.equal(failure?.code, "PRE_DEPLOY_FAILED");
    assert.match(await textOf(token), /it is \*\*\*/);
    assert.doesNotMatch(JSON.stringify(failure) + (await textOf(token)), /very-secret/);
  });

  test("fills no disk with what it prints, and leaves nothing running", async () => {
    const serviceId = newId("s");
    const loud =
      "head -c 200000000 /dev/zero | tr '\\0' x | fold -w 1000; (trap '' TERM; sleep 601) & echo last";
    const live = await fixture.deploy(serviceId, FILES, withCommand(`${loud}; echo x > ran.txt`));
    assert.equal(live.status, "LIVE", JSON.stringify(live));
    const text = await textOf(live.token);
    assert.ok(text.length < 250_000, `${text.length}`);
    assert.match(text, /last/);
    const left = listProcessesIn(fixture.platformDir).filter(({ command }) => command.includes("sleep 601"));
    assert.deepEqual(left, []);
  });

  test("is stopped when its release is cancelled or superseded, before that of the next one begins", async (t) => {
    const serviceId = newId("s");
    const sign = await startSign(t);
    const workload = withCommand(`trap '' TERM; ${sign.command}`);
    const { artifact } = await fixture.build(serviceId, sign.files, workload);
    const service = { serviceId, environmentId: "e", region: REGION };
    const of = { service, workload, artifact: artifact ?? "", variables: [] };
    const { releases } = fixture.platform;
    await releases.start(fixture.account, { ...of, token: `${serviceId}-1` });
    await waitFor(() => (sign.begun() === 1 ? true : null));
    await releases.start(fixture.account, { ...of, token: `${serviceId}-2` });
    await waitFor(() => (sign.begun() === 2 ? true : null));
    await releases.cancel(fixture.account, `${serviceId}-2`);
    sign.letEnd();
    const third = await fixture.release(serviceId, artifact, workload);
    assert.equal(third.status, "LIVE");
    assert.deepEqual([sign.begun(), sign.most()], [3, 1]);
    assert.equal((await releases.describe(fixture.account, `${serviceId}-2`))?.failure?.code, "CANCELLED");
  });
});

test("a command before a release that takes too long is killed, whatever it does with SIGTERM", async (t) => {
  const fixture = await startPlatformFixture({ preDeployLimitMs: 300, stopGraceMs: 200 });
  t.after(() => fixture.stop());
  const workload = withCommand(
    "trap '' TERM; (trap '' TERM; sleep 602) & echo waiting; sleep 603; sleep 604",
  );
  const { status, failure } = await fixture.deploy(newId("s"), FILES, workload);
  assert.equal(status, "FAILED");
  assert.equal(failure?.code, "PRE_DEPLOY_TIMED_OUT");
  assert.match(failure?.message ?? "", /within 0\.3 s/);
  await waitFor(() => (listProcessesIn(fixture.platformDir).length === 0 ? true : null));
});

test("after kill -9, a command before a release runs again if it was killed, and not if it had ended", async (t) => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "slipway-pre-deploy-"));
  t.after(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const kill = async (sandbox: KilledSandbox) => {
    await endSandbox(sandbox, "SIGKILL");
    await waitFor(() => (listProcessesIn(dataDir).length > 0 ? null : true));
  };
  const sign = await startSign(t);
  const first = await startSandboxOn(t, dataDir);
  const account = await connectKilledAccount(first);
  const source = await commitProgram(path.join(dataDir, "git"), "killed", sign.files);
  const service = { serviceId: "s", environmentId: "e", region: REGION };
  // It never becomes healthy, so that the release is still STARTING at the second kill.
  const workload = webWorkload({ preDeployCommand: sign.command, startCommand: "sleep 605" });
  const token = "killed";
  const common = { token, service, workload, variables: [] };
  const artifact = await buildIn(first.platform, account, { ...common, source, timeLimitSeconds: 60 });
  await first.platform.releases.start(account, { ...common, artifact });
  await waitFor(() => (sign.begun() === 1 ? true : null));
  await kill(first);

  const second = await startSandboxOn(t, dataDir);
  await waitFor(() => (sign.begun() === 2 ? true : null));
  sign.letEnd();
  const isRunning = () => listProcessesIn(dataDir).some(({ command }) => command.startsWith("sleep 605"));
  await waitFor(() => (isRunning() ? true : null));
  await kill(second);

  const third = await startSandboxOn(t, dataDir);
  await waitFor(() => (isRunning() ? true : null));
  assert.deepEqual([sign.begun(), sign.most()], [2, 1]);
  await kill(third);
});
