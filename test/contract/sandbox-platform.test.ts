import { describePlatformContract } from "./platform/platform-contract.ts";
import type { PlatformHarness, Program } from "./platform/platform-suite.ts";
import type { Workload } from "../../src/cloud/platform.ts";
import { randomBytes } from "node:crypto";
import { createSandboxPlatform } from "../../src/cloud/sandbox/platform-adapter.ts";
import {
  commitProgram,
  serverProgram,
  staticWorkload,
  webWorkload,
  workerWorkload,
} from "../helpers/sandbox/programs.ts";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import { FIXTURE_SECRET, shortPause, startFixture } from "../helpers/sandbox/sandbox-fixture.ts";

/** In place of the limit, so that no repository of a gigabyte has to be made. */
const TOO_LARGE_BYTES = 500_000;

describePlatformContract("sandbox", async (): Promise<PlatformHarness> => {
  const platform = { ...instantTuning.platform, checkoutMaxBytes: TOO_LARGE_BYTES };
  const fixture = await startFixture({ tuning: { ...instantTuning, platform } });
  return {
    platform: createSandboxPlatform({ url: fixture.server.url, secret: FIXTURE_SECRET }),
    connect: () => fixture.connect(),
    async disconnect({ connectionId }) {
      await fixture.fetch("DELETE", `/sandbox/stacks/${connectionId}`);
    },
    async commit(program, word) {
      const files = {
        "public/index.html": word,
        "server.js": serverProgram(
          `response.writeHead(${program === "web-unhealthy" ? 500 : 200}).end(${JSON.stringify(word)})`,
          `console.log("started ${word}");`,
        ),
        ...(program === "too-large" ? { "large.bin": randomBytes(TOO_LARGE_BYTES) } : {}),
        "worker.js": `console.log("started ${word}"); setInterval(() => undefined, 1000);`,
      };
      const source = await commitProgram(fixture.server.gitDir, word, files);
      return { source, workload: workloadOf(program, word) };
    },
    async putSecret(account, region, name, value) {
      const write = { region, name, value, token: name };
      return (await fixture.cloud.secrets.put(account, write)).reference;
    },
    pause: shortPause,
    stop: () => fixture.stop(),
  };
});

function workloadOf(program: Program, word: string): Workload {
  const buildCommand = `echo building ${word}`;
  switch (program) {
    case "static":
      return staticWorkload("public", buildCommand);
    case "too-large":
      return staticWorkload("public");
    case "build-printing":
      return staticWorkload("public", 'echo "PLAIN is $PLAIN"; echo "KEY has ${#KEY} characters"');
    case "build-failing":
      return staticWorkload("public", "echo oh no >&2; exit 3");
    case "build-hanging":
      return staticWorkload("public", "sleep 600 & wait");
    case "web":
    case "web-unhealthy":
      return webWorkload({ buildCommand });
    case "worker":
      return { ...workerWorkload("node worker.js"), buildCommand };
  }
}
