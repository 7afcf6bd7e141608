/** A sandbox in a separate process, for tests that kill it, and one account in it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import type { CloudAccount } from "../../../src/cloud/cloud.ts";
import type { BuildRequest, Platform } from "../../../src/cloud/platform.ts";
import { createSandboxPlatform } from "../../../src/cloud/sandbox/platform-adapter.ts";
import { waitFor } from "./sandbox-fixture.ts";

const PROGRAM = path.join(import.meta.dirname, "sandbox-process.ts");
const CONNECTION_ID = "aws_killed";

export type KilledSandbox = {
  readonly child: ChildProcess;
  readonly url: string;
  readonly edgePort: number;
  readonly caCertificatePem: string;
  readonly platform: Platform;
};

/** Starts it on a folder, which may have what an earlier one left. */
export async function startSandboxOn(t: TestContext, dataDir: string): Promise<KilledSandbox> {
  const child = spawn(process.execPath, [PROGRAM, dataDir, "http://127.0.0.1:1"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const shown = JSON.parse(line) as Pick<KilledSandbox, "url" | "edgePort" | "caCertificatePem">;
  return { child, ...shown, platform: createSandboxPlatform({ url: shown.url, secret: null }) };
}

/** Resolves when it has ended. */
export async function endSandbox({ child }: KilledSandbox, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  child.kill(signal);
  await once(child, "exit");
}

export async function connectKilledAccount({ url }: KilledSandbox): Promise<CloudAccount> {
  const answer = await fetch(`${url}/sandbox/stacks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ServiceId: CONNECTION_ID }),
  });
  const { accountId, roleArn } = (await answer.json()) as { accountId: string; roleArn: string };
  return { connectionId: CONNECTION_ID, accountId, roleArn };
}

/** Builds a commit. @returns the artifact */
export async function buildIn(
  platform: Platform,
  account: CloudAccount,
  request: BuildRequest,
): Promise<string> {
  await platform.builds.start(account, request);
  return await waitFor(
    async () => (await platform.builds.describe(account, request.token))?.artifact ?? null,
  );
}

/** Builds and releases a commit. Resolves when it is live. */
export async function deployIn(
  platform: Platform,
  account: CloudAccount,
  request: BuildRequest,
): Promise<void> {
  const { token, service, workload, variables } = request;
  const artifact = await buildIn(platform, account, request);
  await platform.releases.start(account, { token, service, workload, artifact, variables });
  await waitFor(async () =>
    (await platform.releases.describe(account, token))?.status === "LIVE" ? true : null,
  );
}
