/** Services and environments: removed completely, and separate between accounts. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CloudError } from "../../../src/cloud/cloud.ts";
import { type PlatformSuite } from "./platform-suite.ts";

export function describeServices(suite: PlatformSuite): void {
  const { build, startBuild, release, statusOf, until, newService, newToken } = suite;
  describe("services", () => {
    test("a removed service is deleted, and may be removed again and created again", async () => {
      const service = newService();
      const built = await build(service, "web");
      const token = await release(built);
      const hanging = await startBuild(service, "build-hanging");
      await suite.platform.services.remove(suite.account, service);
      for (const gone of [built.token, hanging.token]) {
        assert.equal(await suite.platform.builds.describe(suite.account, gone), null);
      }
      assert.equal(await suite.platform.releases.describe(suite.account, token), null);
      await suite.platform.services.remove(suite.account, service);
      await release(await build(service, "static"));
    });

    test("the platform says how many instances run, and either changes the number or refuses to", async () => {
      const service = newService();
      const token = await release(await build(service, "worker"));
      const { services } = suite.platform;
      assert.deepEqual(await services.instances(suite.account, service, token), {
        desired: 1,
        running: 1,
        pending: 0,
      });
      const scaled = await services.scale(suite.account, service, 3).then(
        () => true,
        (error: unknown) => {
          if (error instanceof CloudError && error.kind === "invalid") return false;
          throw error;
        },
      );
      const now = await services.instances(suite.account, service, token);
      assert.equal(now?.desired, scaled ? 3 : 1);
      assert.equal(now.running + now.pending, now.desired);
      if (scaled) await services.scale(suite.account, service, 1);
      assert.equal(await services.instances(suite.account, newService(), newToken()), null);
    });

    test("an environment's shared resources are removed after its services, and may be removed again", async () => {
      const service = newService();
      await release(await build(service, "worker"));
      await suite.platform.services.remove(suite.account, service);
      // A removal is only done when a repeated call finds nothing left.
      await suite.platform.services.remove(suite.account, service);
      await until(
        async () => {
          try {
            await suite.platform.environments.remove(suite.account, service);
            return true;
          } catch (error) {
            // It takes some time; call it again.
            if (error instanceof CloudError && error.kind === "retryable") return false;
            throw error;
          }
        },
        (isRemoved) => isRemoved,
      );
      await suite.platform.environments.remove(suite.account, service);
      await release(await build(service, "worker"));
    });

    test("an environment sleeps until its next release, if its platform can do that", async () => {
      const { environments, releases } = suite.platform;
      const service = newService();
      const { environmentId } = service;
      const read = async () => (await environments.activity(suite.account, [environmentId]))[0] ?? null;
      const sleep = (usedAt: Date) => environments.sleep(suite.account, environmentId, usedAt);
      assert.equal(await read(), null);
      assert.equal(await sleep(new Date()), null);
      const token = await release(await build(service, "web"));
      const seen = await read();
      assert.equal(seen !== null, suite.harness.sleeps);
      if (seen === null) return assert.equal(await sleep(new Date()), null);
      assert.deepEqual(seen, { environmentId, usedAt: seen.usedAt, asleepSince: null });
      assert.equal((await sleep(new Date(seen.usedAt.getTime() - 1)))?.asleepSince, null, "used since then");
      const asleep = await sleep(seen.usedAt);
      assert.ok(asleep?.asleepSince);
      assert.deepEqual(await sleep(seen.usedAt), asleep, "it may be repeated");
      assert.deepEqual(await read(), asleep);
      assert.equal(await statusOf(token), "LIVE");
      assert.equal((await releases.health(suite.account, token))?.isAsleep, true);
      await release(await build(service, "web"));
      assert.equal((await read())?.asleepSince, null);
    });

    test("nothing is read or done without the account's role", async () => {
      const other = await suite.harness.connect();
      await suite.harness.disconnect(other);
      await assert.rejects(
        suite.platform.services.remove(other, newService()),
        (error) => error instanceof CloudError && error.kind === "denied",
      );
    });

    test("accounts do not see each other's builds and releases", async () => {
      const { token } = await build(newService(), "static");
      const other = await suite.harness.connect();
      assert.equal(await suite.platform.builds.describe(other, token), null);
    });
  });
}
