import { describePlatformContract, type PlatformHarness, type Program } from "./platform-contract.ts";
import type { Workload } from "./platform.ts";
import { createSandboxPlatform } from "./sandbox/platform-adapter.ts";
import {
  commitProgram,
  serverProgram,
  staticWorkload,
  webWorkload,
  workerWorkload,
} from "./sandbox/testing/programs.ts";
import { FIXTURE_SECRET, shortPause, startFixture } from "./sandbox/testing/sandbox-fixture.ts";

describePlatformContract("sandbox", async (): Promise<PlatformHarness> => {
  const fixture = await startFixture();
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
