import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createSandboxPlatform } from "../../../../src/cloud/sandbox/platform-adapter.ts";
import { startGitServer } from "../../../../test/helpers/git/git-server.ts";
import { CANARY_TOKEN, holdsToken } from "../../../../test/helpers/git/rejections.ts";
import { listProcessesIn } from "../../../../test/helpers/sandbox/processes-in.ts";
import { commitProgram, staticWorkload } from "../../../../test/helpers/sandbox/programs.ts";
import { waitFor } from "../../../../test/helpers/sandbox/sandbox-fixture.ts";

const PROGRAM = fileURLToPath(
  new URL("../../../../test/helpers/sandbox/sandbox-process.ts", import.meta.url),
);
const LOGIN = { username: "x-access-token", token: CANARY_TOKEN };

test("a build whose fetch a kill -9 interrupts asks for its credentials again, and has left nothing behind", async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-git-host-"));
  const dataDir = await mkdtemp(path.join(tmpdir(), "slipway-remote-"));
  let hangs = true;
  const server = await startGitServer({
    folder,
    login: `${LOGIN.username}:${LOGIN.token}`,
    answerInstead: ({ method }) => hangs && method === "POST",
  });
  t.after(async () => {
    await server.close();
    for (const one of [folder, dataDir]) await rm(one, { recursive: true, force: true, maxRetries: 5 });
  });
  const start = async () => {
    const child = spawn(process.execPath, [PROGRAM, dataDir, "http://127.0.0.1:1", "remote"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    t.after(() => child.kill("SIGKILL"));
    const complaints: string[] = [];
    child.stderr.setEncoding("utf8").on("data", (text: string) => complaints.push(text));
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const { url } = JSON.parse(line) as { url: string };
    return { child, url, complaints, platform: createSandboxPlatform({ url, secret: null }) };
  };
  const end = async ({ child }: Awaited<ReturnType<typeof start>>) => {
    child.kill("SIGKILL");
    await once(child, "exit");
    await waitFor(() => (listProcessesIn(dataDir).length > 0 ? null : true));
  };

  const first = await start();
  const answer = await fetch(`${first.url}/sandbox/stacks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ServiceId: "aws_git" }),
  });
  const { accountId, roleArn } = (await answer.json()) as { accountId: string; roleArn: string };
  const account = { connectionId: "aws_git", accountId, roleArn };
  const source = await commitProgram(folder, "shop", { "public/index.html": "shop" });
  const request = {
    token: "shop",
    service: { serviceId: "shop", environmentId: "e", region: "us-west-2" },
    workload: staticWorkload(),
    // An address instead of a name: there is nothing to resolve.
    source: { ...source, repoUrl: `https://${server.host}/shop` },
    variables: [],
    timeLimitSeconds: 60,
  };
  await first.platform.builds.start(account, request, async () => LOGIN);
  await waitFor(() => (server.requests.some(({ url }) => url.endsWith("/git-upload-pack")) ? true : null));
  assert.ok(listProcessesIn(dataDir).some(({ command }) => command.startsWith("git fetch")));
  assert.ok(listProcessesIn(dataDir).every(({ command }) => !holdsToken(command)));
  await end(first);

  hangs = false;
  const second = await start();
  const seen = await second.platform.builds.describe(account, "shop");
  assert.deepEqual([seen?.status, seen?.needsCredentials], ["RUNNING", true]);
  const again = await second.platform.builds.start(account, request, async () => LOGIN);
  assert.deepEqual([again.status, again.needsCredentials], ["RUNNING", undefined]);
  await waitFor(async () =>
    (await second.platform.builds.describe(account, "shop"))?.status === "SUCCEEDED" ? true : null,
  );
  await end(second);
  assert.deepEqual([...first.complaints, ...second.complaints].filter(holdsToken), []);
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) assert.ok(!holdsToken(await readFile(file, "latin1")), file);
  }
});
