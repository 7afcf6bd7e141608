/** Releases: the newest healthy one is live, and keeps the service's address. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Command, Workload } from "../../../src/cloud/platform.ts";
import { REGION, type PlatformSuite } from "./platform-suite.ts";

export function describeReleases(suite: PlatformSuite): void {
  const { build, startRelease, endOfStart, release, statusOf, until, newService, newToken, readAll } = suite;
  describe("releases", () => {
    test("each type of service goes live, with an address if it answers requests", async () => {
      await Promise.all(
        (["static", "web", "worker"] as const).map(async (program) => {
          const token = await release(await build(newService(), program));
          const seen = await suite.platform.releases.describe(suite.account, token);
          assert.equal(seen?.failure, null);
          const health = await suite.platform.releases.health(suite.account, token);
          assert.ok(health === null || health.isRunning, "a platform that reports health says that it runs");
          if (program === "worker") assert.equal(seen?.url, null);
          else assert.match(seen?.url ?? "", /^http:\/\/[^/]+:\d+$/);
        }),
      );
      assert.equal(await suite.platform.releases.describe(suite.account, newToken()), null);
      assert.equal(await suite.platform.releases.health(suite.account, newToken()), null);
    });

    test("a release replaces the previous one, and an artifact may be released again", async () => {
      const service = newService();
      const first = await build(service, "web");
      const firstRelease = await release(first);
      const before = await suite.platform.releases.describe(suite.account, firstRelease);
      const second = await release(await build(service, "web"));
      assert.equal(await statusOf(firstRelease), "SUPERSEDED");
      // The address belongs to the service, not to the release: other services keep using it.
      assert.equal((await suite.platform.releases.describe(suite.account, second))?.url, before?.url);
      const third = await release(first);
      assert.deepEqual([await statusOf(second), await statusOf(third)], ["SUPERSEDED", "LIVE"]);
    });

    test("one token makes one release, whatever its outcome", async () => {
      const built = await build(newService(), "static");
      const token = await release(built);
      const { service, workload, artifact } = built;
      const request = { token, service, workload, artifact, variables: [] };
      assert.equal((await suite.platform.releases.start(suite.account, request)).status, "LIVE");
      await release(built);
      assert.equal((await suite.platform.releases.start(suite.account, request)).status, "SUPERSEDED");
    });

    test("the previous release stays live while the next is unhealthy; a cancelled one has failed", async () => {
      const service = newService();
      const live = await release(await build(service, "web"));
      const token = await startRelease(await build(service, "web-unhealthy"));
      assert.deepEqual([await statusOf(token), await statusOf(live)], ["STARTING", "LIVE"]);
      await suite.platform.releases.cancel(suite.account, token);
      const { status, failure } = await endOfStart(token);
      assert.deepEqual([status, failure?.code], ["FAILED", "CANCELLED"]);
      await suite.platform.releases.cancel(suite.account, token);
      await suite.platform.releases.cancel(suite.account, live);
      await suite.platform.releases.cancel(suite.account, newToken());
      assert.equal(await statusOf(live), "LIVE");
    });

    test("a later release supersedes a release that is still starting", async () => {
      const service = newService();
      const starting = await startRelease(await build(service, "web-unhealthy"));
      const later = await release(await build(service, "web"));
      assert.deepEqual([await statusOf(starting), await statusOf(later)], ["SUPERSEDED", "LIVE"]);
    });

    test("references are resolved; a dangling one fails the release and names the variable", async () => {
      const service = newService();
      const built = await build(service, "web");
      const name = `/slipway/${newToken()}/${service.environmentId}/KEY`;
      const reference = await suite.harness.putSecret(suite.account, REGION, name, "resolved");
      const kind = "fromSecretsManager";
      await release(built, [{ name: "KEY", kind, reference }]);
      const missing = `${reference}-gone`;
      const token = await startRelease(built, [{ name: "LOST", kind, reference: missing }]);
      const { status, failure } = await endOfStart(token);
      assert.equal(status, "FAILED");
      assert.match(failure?.message ?? "", /LOST/);
    });

    test("preDeployCommand runs in the new files before the switch; if it fails, the previous release stays live", async () => {
      const service = newService();
      const live = await release(await build(service, "web"));
      const built = await build(service, "web");
      const startAfter = (preDeployCommand: Command) => {
        const workload = { ...built.workload, preDeployCommand } as Workload;
        return startRelease({ ...built, workload }, [{ name: "WORD", kind: "plainText", value: "a 'word'" }]);
      };
      const failing = await startAfter('echo "before it: $WORD"; exit 3');
      const { status, failure } = await endOfStart(failing);
      assert.deepEqual(
        [status, failure?.code, failure?.message],
        ["FAILED", "PRE_DEPLOY_FAILED", "preDeployCommand ended with exit code 3; the log says why."],
      );
      assert.equal(await statusOf(live), "LIVE");
      const read = (cursor: string | null) => suite.platform.releases.logs(suite.account, failing, cursor);
      const { lines, next } = await readAll(read);
      assert.deepEqual(
        lines.flatMap(({ stream, text }) => (stream === "stdout" ? [text] : [])),
        ["before it: a 'word'"],
      );
      assert.deepEqual((await read(next)).lines, []);
      const hanging = await startAfter("exec sleep 600");
      assert.deepEqual([await statusOf(hanging), await statusOf(live)], ["STARTING", "LIVE"]);
      await suite.platform.releases.cancel(suite.account, hanging);
      assert.equal((await endOfStart(hanging)).failure?.code, "CANCELLED");
      const after = await startAfter(["sh", "-c", 'test "$WORD" = "a \'word\'"']);
      assert.equal((await endOfStart(after)).failure, null);
      assert.deepEqual([await statusOf(live), await statusOf(after)], ["SUPERSEDED", "LIVE"]);
    });

    test("a release's output is read with a cursor", async () => {
      const built = await build(newService(), "web");
      const token = await release(built);
      const read = (cursor: string | null) => suite.platform.releases.logs(suite.account, token, cursor);
      const { next } = await until(
        () => readAll(read),
        ({ lines }) =>
          lines.some(({ stream, text }) => stream === "stdout" && text === `started ${built.token}`),
      );
      assert.ok(Array.isArray((await read(next)).lines));
    });

    test("an invalid artifact fails the release", async () => {
      const built = await build(newService(), "static");
      const { status, failure } = await endOfStart(await startRelease({ ...built, artifact: "none" }));
      assert.deepEqual([status, failure?.code], ["FAILED", "ARTIFACT_NOT_FOUND"]);
    });
  });
}
