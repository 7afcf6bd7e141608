import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import { createSandboxPlatform } from "../../src/cloud/sandbox/platform-adapter.ts";
import { parseAllowedHosts } from "../../src/egress/address-rules.ts";
import { describePlatformContract } from "../contract/platform/platform-contract.ts";
import type { PlatformHarness } from "../contract/platform/platform-suite.ts";
import { TEST_CERTIFICATE } from "../helpers/git/certificate.ts";
import { startGitServer } from "../helpers/git/git-server.ts";
import { startHostFixture } from "../helpers/host/host-fixture.ts";
import { filesOf, TOO_LARGE_BYTES, workloadOf } from "../helpers/sandbox/contract-programs.ts";
import { commitProgram } from "../helpers/sandbox/programs.ts";

/** No resolver knows this name. */
const GIT_HOST = "gitlab.test";

describePlatformContract("own server's", async (): Promise<PlatformHarness> => {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-git-host-"));
  const git = await startGitServer({ folder, login: null });
  const fixture = await startHostFixture({
    tuning: { platform: { ...instantTuning.platform, checkoutMaxBytes: TOO_LARGE_BYTES } },
    remoteSource: {
      allowedHosts: parseAllowedHosts(["127.0.0.1"]),
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
      trustedCa: TEST_CERTIFICATE,
    },
  });
  const { url } = fixture.server;
  return {
    sleeps: fixture.cloud.sleeps,
    hidesValues: true,
    platform: createSandboxPlatform({ url, secret: fixture.secret }),
    connect: () => fixture.connect(),
    disconnect: (account) => fixture.disconnect(account),
    async commit(program, word) {
      const made = await commitProgram(folder, word, filesOf(program, word));
      const repoUrl = `https://${GIT_HOST}:${git.port}/${word}.git`;
      return { source: { ...made, repoUrl }, workload: workloadOf(program, word) };
    },
    async putSecret(account, region, name, value) {
      const write = { region, name, value, token: name };
      return (await fixture.cloud.secrets.put(account, write)).reference;
    },
    stores: [],
    openStore: null,
    pause: () => sleep(50),
    async stop() {
      await fixture.stop();
      await git.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
