import { describePlatformContract } from "./platform/platform-contract.ts";
import type { PlatformHarness } from "./platform/platform-suite.ts";
import { createSandboxPlatform } from "../../src/cloud/sandbox/platform-adapter.ts";
import { filesOf, TOO_LARGE_BYTES, workloadOf } from "../helpers/sandbox/contract-programs.ts";
import { commitProgram } from "../helpers/sandbox/programs.ts";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import { findPostgres, findRedis } from "../../sandbox/src/platform/stores/programs.ts";
import { openStore, urlOfStore } from "../helpers/sandbox/store-client.ts";
import { FIXTURE_SECRET, shortPause, startFixture } from "../helpers/sandbox/sandbox-fixture.ts";

describePlatformContract("sandbox", async (): Promise<PlatformHarness> => {
  const platform = { ...instantTuning.platform, checkoutMaxBytes: TOO_LARGE_BYTES };
  const fixture = await startFixture({ tuning: { ...instantTuning, platform } });
  return {
    sleeps: fixture.cloud.sleeps,
    hidesValues: true,
    platform: createSandboxPlatform({ url: fixture.server.url, secret: FIXTURE_SECRET }),
    connect: () => fixture.connect(),
    async disconnect({ connectionId }) {
      await fixture.fetch("DELETE", `/sandbox/stacks/${connectionId}`);
    },
    async commit(program, word) {
      const source = await commitProgram(fixture.server.gitDir, word, filesOf(program, word));
      return { source, workload: workloadOf(program, word) };
    },
    async putSecret(account, region, name, value) {
      const write = { region, name, value, token: name };
      return (await fixture.cloud.secrets.put(account, write)).reference;
    },
    stores: await listStores(),
    openStore: async (account, values) =>
      await openStore(urlOfStore(values, (await fixture.accountState(account)).secrets)),
    pause: shortPause,
    stop: () => fixture.stop(),
  };
});

async function listStores(): Promise<PlatformHarness["stores"]> {
  const searchPath = process.env["PATH"] ?? "";
  const missing = (found: readonly object[], name: string) =>
    found.length > 0 ? null : `This machine has no ${name}. Install its package.`;
  return [
    { type: "postgres", missing: missing(await findPostgres(searchPath), "PostgreSQL") },
    { type: "redis", missing: missing(await findRedis(searchPath), "Redis or Valkey") },
  ];
}
