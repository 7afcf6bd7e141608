import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { CloudAccount } from "../../src/cloud/cloud.ts";
import { createSandboxCloud } from "../../src/cloud/sandbox/adapter.ts";
import { openState } from "./state.ts";
import { waitFor, type AccountState } from "../../test/helpers/sandbox/sandbox-fixture.ts";

const PROGRAM = fileURLToPath(new URL("../../test/helpers/sandbox/sandbox-process.ts", import.meta.url));
const ID = "aws_killed";

type Running = { readonly child: ChildProcess; readonly url: string; readonly caCertificatePem: string };

async function start(t: TestContext, dataDir: string, callbackUrl: string): Promise<Running> {
  const child = spawn(process.execPath, [PROGRAM, dataDir, callbackUrl], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return { child, ...(JSON.parse(line) as { url: string; caCertificatePem: string }) };
}

async function kill({ child }: Running): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-sandbox-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function readAccount(url: string): Promise<AccountState> {
  const answer = await fetch(`${url}/sandbox/state`);
  const { accounts } = (await answer.json()) as { accounts: AccountState[] };
  const [account] = accounts;
  assert.ok(account);
  return account;
}

test("everything acknowledged exists after kill -9, and an unfinished stack continues to report", async (t) => {
  const dataDir = await newFolder(t);
  let isListening = false;
  const reports: unknown[] = [];
  const slipway = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      if (isListening) reports.push({ path: request.url, ...(JSON.parse(body) as object) });
      response.writeHead(isListening ? 200 : 503).end();
    });
  });
  slipway.listen(0, "127.0.0.1");
  await once(slipway, "listening");
  t.after(() => {
    slipway.close();
    slipway.closeAllConnections();
  });
  const address = slipway.address();
  assert.ok(address !== null && typeof address === "object");
  const callbackUrl = `http://127.0.0.1:${address.port}`;

  const first = await start(t, dataDir, callbackUrl);
  const put = (url: string, at: string, method: string, body: object) =>
    fetch(`${url}${at}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await put(first.url, "/sandbox/stacks", "POST", { ServiceId: ID });
  const { accountId, roleArn } = await readAccount(first.url);
  const account: CloudAccount = { connectionId: ID, accountId, roleArn };
  const cloudAt = ({ url }: Running) => createSandboxCloud({ url, publicUrl: url, secret: null });
  const before = cloudAt(first);
  const certificate = await before.certificates.request(account, { names: ["k.example"], token: "c" });
  const pending = await before.certificates.describe(account, certificate.id);
  const origin = { kind: "none" } as const;
  const distribution = await before.distributions.create(account, { token: "d", origin });
  const write = { region: "us-west-2", name: "/slipway/KEY", value: "v", token: "s" };
  const { reference } = await before.secrets.put(account, write);
  await before.parameters.put(account, write);
  await kill(first);

  const second = await start(t, dataDir, callbackUrl);
  const after = cloudAt(second);
  assert.equal(second.caCertificatePem, first.caCertificatePem);
  assert.deepEqual(await after.certificates.describe(account, certificate.id), pending);
  assert.deepEqual(await after.distributions.describe(account, distribution.id), distribution);
  // Calls whose answer the kill may have swallowed find their effect done.
  assert.deepEqual(
    await after.certificates.request(account, { names: ["k.example"], token: "c" }),
    certificate,
  );
  assert.equal((await after.distributions.create(account, { token: "d", origin })).id, distribution.id);
  assert.deepEqual(await after.secrets.put(account, write), { reference });
  await after.parameters.put(account, write);
  const state = await readAccount(second.url);
  assert.deepEqual(
    [...state.secrets, ...state.parameters].map((value) => value.versionCount),
    [1, 1],
  );
  assert.equal(state.certificates.length, 1);
  assert.equal(state.stackStatus, "CREATE_IN_PROGRESS");

  // The validation continues as well.
  const record = pending?.domains[0]?.record;
  assert.ok(record);
  const { name, type, value } = record;
  await put(second.url, "/sandbox/dns/records", "PUT", { name, type, values: [value] });
  await waitFor(async () =>
    (await after.certificates.describe(account, certificate.id))?.status === "ISSUED" ? true : null,
  );

  isListening = true;
  await waitFor(async () =>
    (await readAccount(second.url)).stackStatus === "CREATE_COMPLETE" ? true : null,
  );
  assert.deepEqual(reports, [{ path: `/${ID}`, accountId, roleArn }]);
  await kill(second);

  const third = await start(t, dataDir, callbackUrl);
  assert.equal((await readAccount(third.url)).stackStatus, "CREATE_COMPLETE");
  assert.equal((await cloudAt(third).certificates.describe(account, certificate.id))?.status, "ISSUED");
});

test("a folder in use refuses a second process with a clear message, and is free after the first is killed", async (t) => {
  const dataDir = await newFolder(t);
  const running = await start(t, dataDir, "http://127.0.0.1:1");
  assert.throws(() => openState(dataDir), /is in use by another Slipway process/);
  await kill(running);
  openState(dataDir).close();
});

test("several writes are saved together or not at all", async (t) => {
  const dataDir = await newFolder(t);
  const state = openState(dataDir);
  const numbers = state.collection<number>("numbers");
  numbers.put("a", 1);
  assert.throws(
    () =>
      state.atomically(() => {
        numbers.put("a", 2);
        numbers.put("b", 2);
        numbers.delete("a");
        throw new Error("stop");
      }),
    /stop/,
  );
  assert.deepEqual([numbers.get("a"), numbers.get("b"), numbers.size], [1, undefined, 1]);
  state.close();
  const reopened = openState(dataDir);
  assert.deepEqual([...reopened.collection<number>("numbers").values()], [1]);
  reopened.close();
});
