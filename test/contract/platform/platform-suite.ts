/**
 * What the parts of the platform's contract share. They know the `Platform` interface only; repositories, and what their
 * code does, are the harness's: it says how a program behaves, and the harness has a commit that does so (or a provider
 * that plays it).
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before } from "node:test";
import type { CloudAccount } from "../../../src/cloud/cloud.ts";
import type { StoreType } from "../../../src/cloud/data-stores.ts";
import type {
  BuildRequest,
  ExecutionRequest,
  ObservedBuild,
  ObservedExecution,
  LogLine,
  Platform,
  PlatformService,
  ObservedRelease,
  ObservedStore,
  RuntimeVariable,
  Workload,
} from "../../../src/cloud/platform.ts";
import type { StoreClient } from "../../helpers/sandbox/store-client.ts";

/**
 * `web` programs answer; `-hanging` builds never end; `-unhealthy` ones answer the health check with 500;
 * `build-printing` builds print `PLAIN is <value>`, and `KEY has <number> characters` of a managed value, which
 * providers hide in logs; `scheduler` has a shell and its `word` as the file `word`; `too-large` is a repository beyond the limit of its platform.
 */
export const PROGRAMS = [
  "static",
  "web",
  "worker",
  "build-failing",
  "build-hanging",
  "build-printing",
  "too-large",
  "web-unhealthy",
  "scheduler",
] as const;
export type Program = (typeof PROGRAMS)[number];

export type PlatformHarness = {
  readonly platform: Platform;
  /** As of its `Cloud`. */
  readonly sleeps: boolean;
  /** Whether it hides managed values in the output of executions: AWS writes the customer's own log. */
  readonly hidesValues: boolean;
  /** A new customer account that is connected. */
  connect(): Promise<CloudAccount>;
  /** Deletes the account's role. */
  disconnect(account: CloudAccount): Promise<void>;
  /** A commit of a program. Every build prints `building <word>`, every process `started <word>`. */
  commit(program: Program, word: string): Promise<{ source: BuildRequest["source"]; workload: Workload }>;
  /** Writes a managed value. @returns its reference */
  putSecret(account: CloudAccount, region: string, name: string, value: string): Promise<string>;
  /** The data stores of its `Cloud`. `missing`: what this machine lacks to create it, as a sentence, or null. */
  readonly stores: readonly { readonly type: StoreType; readonly missing: string | null }[];
  /** Uses the data of a store; null if the provider only plays its servers. */
  readonly openStore:
    | ((account: CloudAccount, values: ObservedStore["values"]) => Promise<StoreClient>)
    | null;
  /** Gives the provider's processes some time. */
  pause(): Promise<void>;
  stop(): Promise<void>;
};

const PATIENCE_MS = 180_000;
export const REGION = "us-west-2";
export type PlatformSuite = ReturnType<typeof makePlatformSuite>;

/** To be called within the `describe` that the harness lives in. */
export function makePlatformSuite(makeHarness: () => Promise<PlatformHarness>) {
  let harness: PlatformHarness;
  let platform: Platform;
  let account: CloudAccount;
  before(async () => {
    harness = await makeHarness();
    platform = harness.platform;
    account = await harness.connect();
  });
  after(() => harness.stop());

  async function until<T>(read: () => Promise<T>, isDone: (seen: T) => boolean): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const seen = await read();
      if (isDone(seen)) return seen;
      assert.ok(performance.now() < deadline, `still ${JSON.stringify(seen)} after ${PATIENCE_MS} ms`);
      await harness.pause();
    }
  }
  const newToken = () => `t-${randomBytes(6).toString("hex")}`;
  const newService = (): PlatformService => ({
    serviceId: `svc_${randomBytes(6).toString("hex")}`,
    environmentId: `env_${randomBytes(6).toString("hex")}`,
    region: REGION,
  });

  async function startBuild(
    service: PlatformService,
    program: Program,
    { timeLimitSeconds = 120, variables = [] }: Partial<BuildRequest> = {},
  ): Promise<BuildRequest> {
    const token = newToken();
    const { source, workload } = await harness.commit(program, token);
    const request = { token, service, workload, source, variables, timeLimitSeconds };
    assert.equal((await platform.builds.start(account, request)).status, "RUNNING");
    return request;
  }
  async function endOfBuild(token: string): Promise<ObservedBuild> {
    const seen = await until(
      () => platform.builds.describe(account, token),
      (build) => build?.status !== "RUNNING",
    );
    assert.ok(seen);
    return seen;
  }
  async function build(
    service: PlatformService,
    program: Program,
  ): Promise<BuildRequest & { artifact: string }> {
    const request = await startBuild(service, program);
    const { status, artifact, failure } = await endOfBuild(request.token);
    assert.equal(status, "SUCCEEDED", failure?.message);
    assert.ok(artifact !== null);
    return { ...request, artifact };
  }
  async function startRelease(
    { service, workload, artifact }: BuildRequest & { artifact: string },
    variables: readonly RuntimeVariable[] = [],
  ): Promise<string> {
    const token = newToken();
    await platform.releases.start(account, { token, service, workload, artifact, variables });
    return token;
  }
  async function endOfStart(token: string): Promise<ObservedRelease> {
    const seen = await until(
      () => platform.releases.describe(account, token),
      (release) => release?.status !== "STARTING",
    );
    assert.ok(seen);
    return seen;
  }
  async function release(
    built: BuildRequest & { artifact: string },
    variables: readonly RuntimeVariable[] = [],
  ): Promise<string> {
    const token = await startRelease(built, variables);
    const { status, failure } = await endOfStart(token);
    assert.equal(status, "LIVE", failure?.message);
    return token;
  }
  async function execute({
    service,
    release,
    ...asked
  }: { readonly service: PlatformService } & Pick<ExecutionRequest, "release" | "command"> &
    Partial<ExecutionRequest>): Promise<string> {
    const token = newToken();
    const size = { cpu: 0.25, memoryGb: 0.5 };
    await platform.executions.start(account, {
      token,
      service,
      release,
      size,
      timeLimitSeconds: 60,
      ...asked,
    });
    return token;
  }
  const seeExecution = (token: string, isSeen: (seen: ObservedExecution) => boolean) =>
    until(
      () => platform.executions.describe(account, token),
      (seen) => seen !== null && isSeen(seen),
    );
  const endOfExecution = (token: string) => seeExecution(token, ({ endedAt }) => endedAt !== null);
  const statusOf = async (token: string) => (await platform.releases.describe(account, token))?.status;

  /** All lines so far, page by page. */
  async function readAll(
    read: (cursor: string | null) => ReturnType<Platform["builds"]["logs"]>,
  ): Promise<{ lines: readonly LogLine[]; next: string }> {
    const lines: LogLine[] = [];
    for (let cursor: string | null = null; ;) {
      const page = await read(cursor);
      if (page.lines.length === 0) return { lines, next: page.next };
      lines.push(...page.lines);
      cursor = page.next;
    }
  }

  return {
    get harness() {
      return harness;
    },
    get platform() {
      return platform;
    },
    get account() {
      return account;
    },
    until,
    newToken,
    newService,
    startBuild,
    endOfBuild,
    build,
    startRelease,
    endOfStart,
    release,
    execute,
    seeExecution,
    endOfExecution,
    statusOf,
    readAll,
  };
}
