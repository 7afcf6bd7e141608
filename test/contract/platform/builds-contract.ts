/** Builds: one per token, with the service's variables, within its time limit. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { REGION, type PlatformSuite } from "./platform-suite.ts";

export function describeBuilds(suite: PlatformSuite): void {
  const { startBuild, endOfBuild, build, newService, newToken, readAll } = suite;
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
      const again = await suite.platform.builds.start(suite.account, request);
      const ended = await endOfBuild(request.token);
      const later = await suite.platform.builds.start(suite.account, request);
      assert.deepEqual([again.id, later.id], [ended.id, ended.id]);
      assert.equal(later.status, "SUCCEEDED");
      assert.equal(await suite.platform.builds.describe(suite.account, newToken()), null);
    });

    test("a build whose command fails has no artifact and says why", async () => {
      const request = await startBuild(newService(), "build-failing");
      const { status, artifact, failure, endedAt } = await endOfBuild(request.token);
      assert.deepEqual([status, artifact], ["FAILED", null]);
      assert.match(failure?.code ?? "", /^[A-Z_]+$/);
      assert.match(failure?.message ?? "", /^[A-Z].*\.$/s);
      assert.ok(endedAt !== null);
    });

    test("a repository beyond the limit is not built, and the error names the limit", async () => {
      const request = await startBuild(newService(), "too-large");
      const { status, artifact, failure } = await endOfBuild(request.token);
      assert.deepEqual([status, artifact, failure?.code], ["FAILED", null, "REPOSITORY_TOO_LARGE"]);
      assert.match(failure?.message ?? "", /limit (?:of|is) \d+/);
    });

    test("a build has the service's variables, managed ones by reference", async () => {
      const service = newService();
      const name = `/slipway/${newToken()}/${service.environmentId}/KEY`;
      const reference = await suite.harness.putSecret(suite.account, REGION, name, "hidden");
      const variables = [
        { name: "PLAIN", kind: "plainText", value: "a 'quoted' $value" },
        { name: "KEY", kind: "fromSecretsManager", reference },
      ] as const;
      const { token } = await startBuild(service, "build-printing", { variables });
      assert.equal((await endOfBuild(token)).status, "SUCCEEDED");
      const { lines } = await readAll((cursor) => suite.platform.builds.logs(suite.account, token, cursor));
      const texts = lines.map(({ text }) => text);
      assert.ok(texts.includes("PLAIN is a 'quoted' $value"), texts.join("\n"));
      assert.ok(texts.includes("KEY has 6 characters"), texts.join("\n"));
    });

    test("a build with a dangling variable reference fails and names the variable", async () => {
      const lost = { name: "LOST", kind: "fromParameterStore", reference: "/slipway/gone/LOST" } as const;
      const token = newToken();
      const { source, workload } = await suite.harness.commit("static", token);
      const request = { token, service: newService(), workload, source, timeLimitSeconds: 120 };
      await suite.platform.builds.start(suite.account, { ...request, variables: [lost] });
      const { status, failure } = await endOfBuild(token);
      assert.deepEqual([status, failure?.code], ["FAILED", "VARIABLE_NOT_FOUND"]);
      assert.match(failure?.message ?? "", /LOST/);
    });

    test("a build that hangs ends at its time limit", async () => {
      const request = await startBuild(newService(), "build-hanging", { timeLimitSeconds: 1 });
      const { status, artifact, failure } = await endOfBuild(request.token);
      assert.deepEqual([status, artifact, failure?.code], ["TIMED_OUT", null, "TIMED_OUT"]);
    });

    test("a build is cancelled once; cancelling an ended or unknown build is not an error", async () => {
      const request = await startBuild(newService(), "build-hanging");
      await suite.platform.builds.cancel(suite.account, request.token);
      const { status, artifact, failure } = await endOfBuild(request.token);
      assert.deepEqual([status, artifact, failure?.code], ["CANCELLED", null, "CANCELLED"]);
      await suite.platform.builds.cancel(suite.account, request.token);
      await suite.platform.builds.cancel(suite.account, newToken());
      assert.equal((await endOfBuild(request.token)).status, "CANCELLED");
    });

    test("a build's output is read with a cursor, which stays valid at the end", async () => {
      const { token } = await build(newService(), "web");
      const read = (cursor: string | null) => suite.platform.builds.logs(suite.account, token, cursor);
      const { lines, next } = await readAll(read);
      assert.ok(lines.some(({ stream, text }) => stream === "build" && text === `building ${token}`));
      assert.ok(lines.every(({ at }) => at.getTime() > 0));
      assert.deepEqual((await read(next)).lines, []);
      assert.deepEqual((await readAll(read)).lines, lines);
    });
  });
}
