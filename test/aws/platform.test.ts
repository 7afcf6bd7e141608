import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { createAws } from "../../src/cloud/aws/adapter.ts";
import type { Platform, Workload } from "../../src/cloud/platform.ts";
import { describePlatformContract } from "../contract/platform/platform-contract.ts";
import type { PlatformHarness, Program } from "../contract/platform/platform-suite.ts";
import { startEmulator } from "./emulator/emulator.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { work } from "./world.ts";

if (MOTO_URL === null) test("the contract of the aws platform", { skip: NEEDS_MOTO });
else describePlatformContract("aws", () => startHarness(MOTO_URL ?? ""));

async function startHarness(motoUrl: string): Promise<PlatformHarness> {
  const emulator = await startEmulator({ motoUrl });
  const { cloud, platform } = createAws({
    templateUrl: "https://slipway-templates.s3.amazonaws.com/connection-v2.yaml",
    endpoint: emulator.url,
  });
  /** As Slipway does when a service is made: it has a distribution before its first release. */
  const start: Platform["releases"]["start"] = async (account, request) => {
    const { serviceId } = request.service;
    const origin = { kind: "none", serviceId } as const;
    if (request.workload.type !== "worker") {
      await cloud.distributions.create(account, { token: serviceId, origin });
    }
    return await platform.releases.start(account, request);
  };
  const { builds, releases, executions, services, environments } = platform;
  return {
    sleeps: cloud.sleeps,
    hidesValues: false,
    // Again where an account's pace was reached, as the worker does.
    platform: {
      stackNameOf: (part) => platform.stackNameOf(part),
      builds: {
        start: (...args) => work(() => builds.start(...args)),
        describe: (...args) => work(() => builds.describe(...args)),
        cancel: (...args) => work(() => builds.cancel(...args)),
        logs: (...args) => work(() => builds.logs(...args)),
      },
      releases: {
        start: (...args) => work(() => start(...args)),
        describe: (...args) => work(() => releases.describe(...args)),
        cancel: (...args) => work(() => releases.cancel(...args)),
        health: (...args) => work(() => releases.health(...args)),
        logs: (...args) => work(() => releases.logs(...args)),
      },
      executions: {
        start: (...args) => work(() => executions.start(...args)),
        describe: (...args) => work(() => executions.describe(...args)),
        cancel: (...args) => work(() => executions.cancel(...args)),
        logs: (...args) => work(() => executions.logs(...args)),
      },
      services: {
        remove: (...args) => work(() => services.remove(...args)),
        instances: (...args) => work(() => services.instances(...args)),
        scale: (...args) => work(() => services.scale(...args)),
      },
      stores: {
        ensure: (...args) => work(() => platform.stores.ensure(...args)),
        describe: (...args) => work(() => platform.stores.describe(...args)),
        remove: (...args) => work(() => platform.stores.remove(...args)),
        listDown: (...args) => work(() => platform.stores.listDown(...args)),
        snapshots: platform.stores.snapshots,
      },
      environments,
    },
    async connect() {
      const connectionId = `aws_${randomBytes(13).toString("hex")}`;
      return { connectionId, ...emulator.trust.createRole(connectionId) };
    },
    async disconnect({ roleArn }) {
      emulator.trust.deleteRole(roleArn);
    },
    async commit(program, word) {
      const commit = createHash("sha1").update(word).digest("hex");
      emulator.platform.builds.setProgram(commit, { program, word });
      const source = { repoUrl: "https://github.com/acme/shop.git", commit, branch: "main" };
      return { source, workload: workloadOf(program, word) };
    },
    async putSecret(account, region, name, value) {
      const write = { region, name: name.slice(1), value, token: name };
      return (await cloud.secrets.put(account, write)).reference;
    },
    stores: [],
    openStore: null,
    pause: () => new Promise((resolve) => setTimeout(resolve, 50)),
    stop: () => emulator.stop(),
  };
}

const SIZE = { cpu: 0.25, memoryGb: 0.5, minInstances: 1, maxInstances: 1 };

function workloadOf(program: Program, word: string): Workload {
  const buildCommand = `echo building ${word}`;
  switch (program) {
    case "static":
    case "build-failing":
    case "build-hanging":
    case "build-printing":
    case "too-large":
      return { type: "static", buildCommand, outputDirectory: "public" };
    case "web":
    case "web-unhealthy":
      return {
        type: "web",
        buildCommand,
        startCommand: "npm start",
        port: 3000,
        healthCheckPath: "/",
        size: SIZE,
      };
    case "worker":
      return { type: "worker", buildCommand, startCommand: "npm start", size: SIZE };
    case "scheduler":
      return { type: "scheduler", buildCommand, size: SIZE };
  }
}
