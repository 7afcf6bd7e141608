/** A sandbox with an account and its platform, for tests that build and release small programs. */
import { randomBytes } from "node:crypto";
import path from "node:path";
import type { CloudAccount, Origin } from "../../../src/cloud/cloud.ts";
import type {
  ObservedBuild,
  LogLine,
  LogPage,
  Platform,
  ObservedRelease,
  PlatformService,
  RuntimeVariable,
} from "../../../src/cloud/platform.ts";
import type { Files } from "../../../sandbox/src/git/git-repositories.ts";
import { createCallPolicy } from "../../../src/cloud/calls/policy.ts";
import { createSandboxPlatform } from "../../../src/cloud/sandbox/platform-adapter.ts";
import type { PlatformTuning } from "../../../sandbox/src/platform/tuning.ts";
import type { SandboxOptions } from "../../../sandbox/src/server.ts";
import { instantTuning } from "../../../sandbox/src/tuning.ts";
import { getFromEdge, type EdgeAnswer, type EdgeAsk } from "./edge-client.ts";
import { commitProgram, type Commit } from "./programs.ts";
import { FIXTURE_SECRET, startFixture, waitFor, type SandboxFixture } from "./sandbox-fixture.ts";

export const REGION = "us-west-2";

export type PlatformFixture = SandboxFixture & {
  readonly platform: Platform;
  readonly account: CloudAccount;
  /** The folder of builds and releases. */
  readonly platformDir: string;
  build(
    serviceId: string,
    files: Files,
    workload: Commit["workload"],
    limits?: BuildLimits,
  ): Promise<ObservedBuild>;
  /** Builds, releases, and waits for the result. */
  deploy(
    serviceId: string,
    files: Files,
    workload: Commit["workload"],
    variables?: readonly RuntimeVariable[],
  ): Promise<ObservedRelease>;
  release(
    serviceId: string,
    artifact: string | null,
    workload: Commit["workload"],
    variables?: readonly RuntimeVariable[],
    as?: CloudAccount,
  ): Promise<ObservedRelease>;
  /** The lines so far. */
  logOf(kind: "builds" | "releases" | "executions", token: string): Promise<readonly LogLine[]>;
  /** Creates a distribution. The returned function sends requests to it. */
  distribute(origin: Origin): Promise<(ask?: EdgeAsk) => Promise<EdgeAnswer>>;
};

type BuildLimits = {
  readonly timeLimitSeconds?: number;
  readonly variables?: readonly RuntimeVariable[];
  readonly service?: PlatformService;
  /** Another account than the fixture's own. */
  readonly as?: CloudAccount;
};

export function newId(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString("hex")}`;
}

export async function startPlatformFixture(
  tuning: Partial<PlatformTuning> = {},
  options: Partial<SandboxOptions> = {},
): Promise<PlatformFixture> {
  const fixture = await startFixture({
    tuning: { ...instantTuning, platform: { ...instantTuning.platform, ...tuning } },
    ...options,
  });
  const { server, cloud } = fixture;
  const account = await fixture.connect();
  // Tests have to see each failure; the usual policy would retry.
  const policy = createCallPolicy({ attempts: 1 });
  const platform = createSandboxPlatform({ url: server.url, secret: FIXTURE_SECRET, policy });

  const build: PlatformFixture["build"] = async (
    serviceId,
    files,
    workload,
    { as = account, ...limits } = {},
  ) => {
    const token = newId("build");
    const source = await commitProgram(server.gitDir, token, files);
    const service = { serviceId, environmentId: "e", region: REGION };
    await platform.builds.start(as, {
      token,
      service,
      workload,
      source,
      variables: [],
      timeLimitSeconds: 120,
      ...limits,
    });
    return waitFor(async () => {
      const seen = await platform.builds.describe(as, token);
      return seen === null || seen.status === "RUNNING" ? null : { ...seen, id: token };
    });
  };
  const release: PlatformFixture["release"] = async (
    serviceId,
    artifact,
    workload,
    variables = [],
    as = account,
  ) => {
    const token = newId("release");
    const service = { serviceId, environmentId: "e", region: REGION };
    await platform.releases.start(as, { token, service, workload, artifact: artifact ?? "", variables });
    return waitFor(async () => {
      const seen = await platform.releases.describe(as, token);
      return seen?.status === "STARTING" ? null : seen;
    });
  };

  return {
    ...fixture,
    platform,
    account,
    platformDir: path.join(server.gitDir, "../platform"),
    build,
    release,
    async deploy(serviceId, files, workload, variables) {
      const { artifact } = await build(serviceId, files, workload);
      return release(serviceId, artifact, workload, variables);
    },
    async logOf(kind, token) {
      const lines: LogLine[] = [];
      for (let cursor: string | null = null; ;) {
        const page: LogPage = await platform[kind].logs(account, token, cursor);
        if (page.lines.length === 0) return lines;
        lines.push(...page.lines);
        cursor = page.next;
      }
    },
    async distribute(origin) {
      const { domainName } = await cloud.distributions.create(account, { token: newId("d"), origin });
      return (ask) => getFromEdge(server, domainName, ask);
    },
  };
}

/** Whether a process with this id exists. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}
