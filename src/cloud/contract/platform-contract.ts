/**
 * What every platform must do, as `platform.ts` says it, held against a running adapter. The suite knows the
 * `Platform` interface only; repositories, and what their code does, are the harness's: it says how a
 * program behaves, and the harness has a commit that does so (or a provider that plays it).
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { CloudError, type CloudAccount } from "../cloud.ts";
import type {
  BuildRequest,
  BuildSeen,
  LogLine,
  Platform,
  PlatformService,
  ReleaseSeen,
  RuntimeVariable,
  Workload,
} from "../platform.ts";

/**
 * `web` programs answer; `-hanging` builds never end; `-unhealthy` ones answer the health check with 500;
 * `build-printing` builds print `PLAIN is <value>`, and `KEY has <number> characters` of a managed value, which
 * providers hide in logs; `too-large` is a repository beyond the limit of its platform.
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
] as const;
export type Program = (typeof PROGRAMS)[number];

export type PlatformHarness = {
  readonly platform: Platform;
  /** A fresh customer account that is connected. */
  connect(): Promise<CloudAccount>;
  /** Deletes the account's role. */
  disconnect(account: CloudAccount): Promise<void>;
  /** A commit of a program. Every build prints `building <word>`, every process `started <word>`. */
  commit(program: Program, word: string): Promise<{ source: BuildRequest["source"]; workload: Workload }>;
  /** Writes a managed value. @returns its reference */
  putSecret(account: CloudAccount, region: string, name: string, value: string): Promise<string>;
  /** Lets the provider's processes go on a little. */
  pause(): Promise<void>;
  stop(): Promise<void>;
};

const PATIENCE_MS = 60_000;
const REGION = "us-west-2";

/** Registers the suite with node:test. */
export function describePlatformContract(name: string, makeHarness: () => Promise<PlatformHarness>): void {
  describe(`the contract of the ${name} platform`, { concurrency: 4 }, () => {
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
    async function endOfBuild(token: string): Promise<BuildSeen> {
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
    async function endOfStart(token: string): Promise<ReleaseSeen> {
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
    const statusOf = async (token: string) => (await platform.releases.describe(account, token))?.status;

    /** All lines up to now, page by page. */
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

    describe("builds", () => {
      test("a build of each type of service ends with an artifact", async () => {
        await Promise.all(
          (["static", "web", "worker"] as const).map(async (program) => {
            const { token, artifact } = await build(newService(), program);
            const seen = await endOfBuild(token);
            assert.equal(seen.artifact, artifact);
            assert.equal(seen.failure, null);
            assert.ok(seen.endedAt !== null && seen.endedAt >= seen.startedAt);
          }),
        );
      });

      test("one token starts one build, and a token that was never used has none", async () => {
        const request = await startBuild(newService(), "static");
        const again = await platform.builds.start(account, request);
        const ended = await endOfBuild(request.token);
        const later = await platform.builds.start(account, request);
        assert.deepEqual([again.id, later.id], [ended.id, ended.id]);
        assert.equal(later.status, "SUCCEEDED");
        assert.equal(await platform.builds.describe(account, newToken()), null);
      });

      test("a build whose command fails has no artifact and says why", async () => {
        const request = await startBuild(newService(), "build-failing");
        const { status, artifact, failure, endedAt } = await endOfBuild(request.token);
        assert.deepEqual([status, artifact], ["FAILED", null]);
        assert.match(failure?.code ?? "", /^[A-Z_]+$/);
        assert.match(failure?.message ?? "", /^[A-Z].*\.$/s);
        assert.ok(endedAt !== null);
      });

      test("a repository beyond the limit is not built, and the limit is told", async () => {
        const request = await startBuild(newService(), "too-large");
        const { status, artifact, failure } = await endOfBuild(request.token);
        assert.deepEqual([status, artifact, failure?.code], ["FAILED", null, "REPOSITORY_TOO_LARGE"]);
        assert.match(failure?.message ?? "", /limit (?:of|is) \d+/);
      });

      test("a build has the service's variables, the managed ones by their references", async () => {
        const reference = await harness.putSecret(account, REGION, `/slipway/${newToken()}/KEY`, "hidden");
        const variables = [
          { name: "PLAIN", kind: "plainText", value: "a 'quoted' $value" },
          { name: "KEY", kind: "fromSecretsManager", reference },
        ] as const;
        const { token } = await startBuild(newService(), "build-printing", { variables });
        assert.equal((await endOfBuild(token)).status, "SUCCEEDED");
        const { lines } = await readAll((cursor) => platform.builds.logs(account, token, cursor));
        const texts = lines.map(({ text }) => text);
        assert.ok(texts.includes("PLAIN is a 'quoted' $value"), texts.join("\n"));
        assert.ok(texts.includes("KEY has 6 characters"), texts.join("\n"));
      });

      test("a build whose variable leads nowhere fails and names it", async () => {
        const lost = { name: "LOST", kind: "fromParameterStore", reference: "/slipway/gone/LOST" } as const;
        const token = newToken();
        const { source, workload } = await harness.commit("static", token);
        const request = { token, service: newService(), workload, source, timeLimitSeconds: 120 };
        await platform.builds.start(account, { ...request, variables: [lost] });
        const { status, failure } = await endOfBuild(token);
        assert.deepEqual([status, failure?.code], ["FAILED", "VARIABLE_NOT_FOUND"]);
        assert.match(failure?.message ?? "", /LOST/);
      });

      test("a build that hangs ends at its time limit", async () => {
        const request = await startBuild(newService(), "build-hanging", { timeLimitSeconds: 1 });
        const { status, artifact, failure } = await endOfBuild(request.token);
        assert.deepEqual([status, artifact, failure?.code], ["TIMED_OUT", null, "TIMED_OUT"]);
      });

      test("a build is cancelled once; cancelling what has ended, or never was, is no error", async () => {
        const request = await startBuild(newService(), "build-hanging");
        await platform.builds.cancel(account, request.token);
        const { status, artifact, failure } = await endOfBuild(request.token);
        assert.deepEqual([status, artifact, failure?.code], ["CANCELLED", null, "CANCELLED"]);
        await platform.builds.cancel(account, request.token);
        await platform.builds.cancel(account, newToken());
        assert.equal((await endOfBuild(request.token)).status, "CANCELLED");
      });

      test("what a build prints is read with a cursor, which stays usable at the end", async () => {
        const { token } = await build(newService(), "web");
        const read = (cursor: string | null) => platform.builds.logs(account, token, cursor);
        const { lines, next } = await readAll(read);
        assert.ok(lines.some(({ stream, text }) => stream === "build" && text === `building ${token}`));
        assert.ok(lines.every(({ at }) => at.getTime() > 0));
        assert.deepEqual((await read(next)).lines, []);
        assert.deepEqual((await readAll(read)).lines, lines);
      });
    });

    describe("releases", () => {
      test("each type of service goes live; those that answer requests have an address", async () => {
        await Promise.all(
          (["static", "web", "worker"] as const).map(async (program) => {
            const token = await release(await build(newService(), program));
            const seen = await platform.releases.describe(account, token);
            assert.equal(seen?.failure, null);
            if (program === "worker") assert.equal(seen?.url, null);
            else assert.match(seen?.url ?? "", /^http:\/\/[^/]+:\d+$/);
          }),
        );
        assert.equal(await platform.releases.describe(account, newToken()), null);
      });

      test("a release takes the place of the one before, and an artifact may be released again", async () => {
        const service = newService();
        const first = await build(service, "web");
        const firstRelease = await release(first);
        const before = await platform.releases.describe(account, firstRelease);
        const second = await release(await build(service, "web"));
        assert.equal(await statusOf(firstRelease), "SUPERSEDED");
        // The address is the service's, not the release's: others keep it.
        assert.equal((await platform.releases.describe(account, second))?.url, before?.url);
        const third = await release(first);
        assert.deepEqual([await statusOf(second), await statusOf(third)], ["SUPERSEDED", "LIVE"]);
      });

      test("one token makes one release, whatever became of it", async () => {
        const built = await build(newService(), "static");
        const token = await release(built);
        const { service, workload, artifact } = built;
        const request = { token, service, workload, artifact, variables: [] };
        assert.equal((await platform.releases.start(account, request)).status, "LIVE");
        await release(built);
        assert.equal((await platform.releases.start(account, request)).status, "SUPERSEDED");
      });

      test("while one is unhealthy the one before stays live; cancelled, it has failed", async () => {
        const service = newService();
        const live = await release(await build(service, "web"));
        const token = await startRelease(await build(service, "web-unhealthy"));
        assert.deepEqual([await statusOf(token), await statusOf(live)], ["STARTING", "LIVE"]);
        await platform.releases.cancel(account, token);
        const { status, failure } = await endOfStart(token);
        assert.deepEqual([status, failure?.code], ["FAILED", "CANCELLED"]);
        await platform.releases.cancel(account, token);
        await platform.releases.cancel(account, live);
        await platform.releases.cancel(account, newToken());
        assert.equal(await statusOf(live), "LIVE");
      });

      test("a later release supersedes one that is still starting", async () => {
        const service = newService();
        const starting = await startRelease(await build(service, "web-unhealthy"));
        const later = await release(await build(service, "web"));
        assert.deepEqual([await statusOf(starting), await statusOf(later)], ["SUPERSEDED", "LIVE"]);
      });

      test("references are resolved; one that leads nowhere fails the release and names the variable", async () => {
        const built = await build(newService(), "web");
        const name = `/slipway/${newToken()}/KEY`;
        const reference = await harness.putSecret(account, REGION, name, "resolved");
        const kind = "fromSecretsManager";
        await release(built, [{ name: "KEY", kind, reference }]);
        const missing = `${reference}-gone`;
        const token = await startRelease(built, [{ name: "LOST", kind, reference: missing }]);
        const { status, failure } = await endOfStart(token);
        assert.equal(status, "FAILED");
        assert.match(failure?.message ?? "", /LOST/);
      });

      test("what a release prints is read with a cursor", async () => {
        const built = await build(newService(), "web");
        const token = await release(built);
        const read = (cursor: string | null) => platform.releases.logs(account, token, cursor);
        const { next } = await until(
          () => readAll(read),
          ({ lines }) =>
            lines.some(({ stream, text }) => stream === "stdout" && text === `started ${built.token}`),
        );
        assert.ok(Array.isArray((await read(next)).lines));
      });

      test("an artifact that is none fails the release", async () => {
        const built = await build(newService(), "static");
        const { status, failure } = await endOfStart(await startRelease({ ...built, artifact: "none" }));
        assert.deepEqual([status, failure?.code], ["FAILED", "ARTIFACT_NOT_FOUND"]);
      });
    });

    describe("services", () => {
      test("a removed service is forgotten, and may be removed again and made anew", async () => {
        const service = newService();
        const built = await build(service, "web");
        const token = await release(built);
        const hanging = await startBuild(service, "build-hanging");
        await platform.services.remove(account, service);
        for (const gone of [built.token, hanging.token]) {
          assert.equal(await platform.builds.describe(account, gone), null);
        }
        assert.equal(await platform.releases.describe(account, token), null);
        await platform.services.remove(account, service);
        await release(await build(service, "static"));
      });

      test("what an environment's services shared is removed after them, and may be removed again", async () => {
        const service = newService();
        await release(await build(service, "worker"));
        await platform.services.remove(account, service);
        // Once more, as a removal is not done before that finds nothing.
        await platform.services.remove(account, service);
        await until(
          async () => {
            try {
              await platform.environments.remove(account, service);
              return true;
            } catch (error) {
              // It takes its time, and is asked for again.
              if (error instanceof CloudError && error.kind === "retryable") return false;
              throw error;
            }
          },
          (isRemoved) => isRemoved,
        );
        await platform.environments.remove(account, service);
        await release(await build(service, "worker"));
      });

      test("nothing is told or done without the account's role", async () => {
        const other = await harness.connect();
        await harness.disconnect(other);
        await assert.rejects(
          platform.services.remove(other, newService()),
          (error) => error instanceof CloudError && error.kind === "denied",
        );
      });

      test("another account does not see what one has", async () => {
        const { token } = await build(newService(), "static");
        const other = await harness.connect();
        assert.equal(await platform.builds.describe(other, token), null);
      });
    });
  });
}
