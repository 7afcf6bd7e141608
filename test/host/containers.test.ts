/** Services of an own server in containers of Podman, where this machine has it and its limits are real. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { after, before, describe, it, type TestContext } from "node:test";
import type { CloudAccount } from "../../src/cloud/cloud.ts";
import type { ObservedRelease, Platform } from "../../src/cloud/platform.ts";
import { createSandboxPlatform } from "../../src/cloud/sandbox/platform-adapter.ts";
import { parseAllowedHosts } from "../../src/egress/address-rules.ts";
import { TEST_CERTIFICATE } from "../helpers/git/certificate.ts";
import { type GitServer, startGitServer } from "../helpers/git/git-server.ts";
import { type HostFixture, startHostFixture } from "../helpers/host/host-fixture.ts";
import { commitProgram, serverProgram, webWorkload } from "../helpers/sandbox/programs.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const SIZE = { cpu: 0.25, memoryGb: 0.125, minInstances: 1, maxInstances: 1 };

describe("a service in a container", { timeout: 200_000 }, () => {
  let folder: string;
  let git: GitServer;
  let fixture: HostFixture;
  let platform: Platform;
  let account: CloudAccount;
  before(async () => {
    folder = await makeTempDir("containers");
    git = await startGitServer({ folder, login: null });
    fixture = await startHostFixture({
      remoteSource: {
        allowedHosts: parseAllowedHosts(["127.0.0.1"]),
        resolve: async () => [{ address: "127.0.0.1", family: 4 }],
        trustedCa: TEST_CERTIFICATE,
      },
    });
    platform = createSandboxPlatform({ url: fixture.server.url, secret: fixture.secret });
    account = await fixture.connect();
  });
  after(async () => {
    await fixture.stop();
    await git.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Null if this machine has no containers; the test is skipped then. */
  async function release(t: TestContext, server: string): Promise<ObservedRelease | null> {
    const commands = fixture.server.describeCommands();
    if (!commands.includes("(podman)")) {
      t.skip(`Podman is not installed, or cannot limit memory here: ${commands}`);
      return null;
    }
    const token = randomBytes(6).toString("hex");
    const service = { serviceId: `svc_${token}`, environmentId: "env_1", region: "us-west-2" };
    const source = await commitProgram(folder, token, { "server.js": server });
    const workload = webWorkload({ size: SIZE });
    await platform.builds.start(account, {
      token,
      service,
      workload,
      source: { ...source, repoUrl: `https://gitlab.test:${git.port}/${token}.git` },
      variables: [],
      timeLimitSeconds: 60,
    });
    const artifact = await until(
      async () => (await platform.builds.describe(account, token))?.artifact,
      "the build ends",
      60_000,
    );
    await platform.releases.start(account, { token, service, workload, artifact, variables: [] });
    return await until(
      async () => {
        const seen = await platform.releases.describe(account, token);
        return seen?.status !== "STARTING" && seen;
      },
      "the release starts, or fails",
      90_000,
    );
  }

  it("gets no more of the processor than its size says", async (t) => {
    const burn = `
      const burn = () => { const end = Date.now() + 50; while (Date.now() < end); setImmediate(burn); };
      const { isMainThread, Worker } = require("node:worker_threads");
      if (isMainThread) new Worker(__filename); else burn();
    `;
    const server = serverProgram(
      `if (request.url === "/health") return response.end();
       const [before, at] = [process.cpuUsage(), performance.now()];
       setTimeout(() => {
         const { user, system } = process.cpuUsage(before);
         response.end(String((user + system) / 1000 / (performance.now() - at)));
       }, 2_000);`,
      burn,
    ).replace('require("node:http")', 'if (isMainThread) require("node:http")');
    const seen = await release(t, server);
    if (seen === null) return;
    assert.equal(seen.status, "LIVE", seen.failure?.message);
    const share = Number(await (await fetch(seen.url ?? "")).text());
    t.diagnostic(`${share.toFixed(2)} of a processor, with a limit of ${SIZE.cpu}`);
    assert.ok(share > 0 && share < 2 * SIZE.cpu);
  });

  it("is ended when it needs more memory than its size says, and the failure says so", async (t) => {
    const seen = await release(t, "const all = []; for (;;) all.push(Buffer.alloc(8 * 1024 * 1024, 1));");
    if (seen === null) return;
    assert.equal(seen.status, "FAILED");
    assert.match(
      seen.failure?.message ?? "",
      /ended by SIGKILL, probably because it needs more than its 0\.125 GB/,
    );
  });
});
