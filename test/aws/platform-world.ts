/** An account with a service and a separate emulator, for stories of the platform. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { createAws } from "../../src/cloud/aws/adapter.ts";
import { createCallPolicy } from "../../src/cloud/calls/policy.ts";
import type { Cloud, CloudAccount } from "../../src/cloud/cloud.ts";
import type {
  BuildRequest,
  ObservedBuild,
  Platform,
  PlatformService,
  ReleaseRequest,
  ObservedRelease,
  RuntimeVariable,
  Workload,
} from "../../src/cloud/platform.ts";
import { parseAllowedHosts } from "../../src/egress/address-rules.ts";
import { createSafeFetch } from "../../src/egress/safe-fetch.ts";
import { pauseMs } from "../helpers/until.ts";
import type { Played } from "./emulator/platform/build-rules.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";
import { MOTO_URL } from "./moto-url.ts";
import { work } from "./world.ts";

export const SEED = Number(process.env["SLIPWAY_TEST_SEED"] ?? 20_261_121);
export const REGION = "us-west-2";
export const SIZE = { cpu: 0.25, memoryGb: 0.5, minInstances: 1, maxInstances: 1 };
export const WEB: Workload = {
  type: "web",
  buildCommand: "npm run build",
  startCommand: "npm start",
  port: 3000,
  healthCheckPath: "/",
  size: SIZE,
};
export const SITE: Workload = { type: "static", buildCommand: null, outputDirectory: "public" };

export type World = {
  readonly emulator: Emulator;
  readonly account: CloudAccount;
  readonly service: PlatformService;
  /** A process that remembers nothing. */
  readonly newPlatform: () => Platform;
  readonly newCloud: () => Cloud;
  readonly newRequest: (token: string, workload: Workload, program: Played["program"]) => BuildRequest;
  readonly build: (token: string, workload: Workload, program: Played["program"]) => Promise<ObservedBuild>;
  readonly release: (
    token: string,
    workload: Workload,
    artifact: string,
    variables?: readonly RuntimeVariable[],
  ) => Promise<ObservedRelease>;
};

/**
 * An emulator with an account.
 * @param attemptMs of a call
 */
export async function startAccount(attemptMs: number): Promise<{
  readonly emulator: Emulator;
  readonly account: CloudAccount;
  /** A process that remembers nothing. */
  readonly open: () => ReturnType<typeof createAws>;
}> {
  const emulator = await startEmulator({ motoUrl: MOTO_URL ?? "", seed: SEED });
  const open = () =>
    createAws({
      templateUrl: "https://bucket.s3.amazonaws.com/connection-v2.yaml",
      endpoint: emulator.url,
      policy: createCallPolicy({ attemptMs, firstPauseMs: 20 }),
      // The test's own registry.
      registries: createSafeFetch({ allowedHosts: parseAllowedHosts([]), allowsLoopback: true }),
    });
  const connectionId = `aws_${randomBytes(13).toString("hex")}`;
  return { emulator, account: { connectionId, ...emulator.trust.createRole(connectionId) }, open };
}

/** The build of a commit of its own, which the emulator then has. */
export function requestBuild(
  emulator: Emulator,
  { service, token, workload }: Pick<BuildRequest, "service" | "token" | "workload">,
  program: Played["program"],
): BuildRequest {
  const commit = createHash("sha1").update(`${service.serviceId} ${token}`).digest("hex");
  emulator.platform.builds.setProgram(commit, { program, word: token });
  const source = { repoUrl: "https://git.example.com/shop.git", commit, branch: "main" };
  return { token, service, workload, source, variables: [], timeLimitSeconds: 60 };
}

/** One story, as a test. */
export function play(name: string, story: (world: World) => Promise<void>): void {
  test(name, async () => {
    const { emulator, account, open } = await startAccount(10_000);
    const id = randomBytes(6).toString("hex");
    const service = { serviceId: `svc_${id}`, environmentId: `env_${id}`, region: REGION };
    const { cloud } = open();
    const origin = { kind: "none", serviceId: service.serviceId } as const;
    const newPlatform = () => open().platform;

    const newRequest: World["newRequest"] = (token, workload, program) =>
      requestBuild(emulator, { service, token, workload }, program);
    const world: World = {
      emulator,
      account,
      service,
      newPlatform,
      newCloud: () => open().cloud,
      newRequest,
      async build(token, workload, program) {
        const platform = newPlatform();
        await work(() => platform.builds.start(account, newRequest(token, workload, program)));
        return await until(
          () => platform.builds.describe(account, token),
          ({ status }) => status !== "RUNNING",
        );
      },
      async release(token, workload, artifact, variables = []) {
        const platform = newPlatform();
        const request: ReleaseRequest = { token, service, workload, artifact, variables };
        await work(() => platform.releases.start(account, request));
        return await until(
          () => platform.releases.describe(account, token),
          ({ status }) => status !== "STARTING",
        );
      },
    };
    try {
      await work(() => cloud.distributions.create(account, { token: id, origin }));
      await story(world);
    } finally {
      await emulator.stop();
    }
  });
}

/** Again and again, until it is done or three minutes have passed. */
export async function until<T>(read: () => Promise<T | null>, isDone: (seen: T) => boolean): Promise<T> {
  const sinceMs = performance.now();
  for (;;) {
    const seen = await work(read);
    if (seen !== null && isDone(seen)) return seen;
    const waitedMs = performance.now() - sinceMs;
    assert.ok(waitedMs < 180_000, `still ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs(waitedMs)));
  }
}
