/** Executions: a command runs once, in the files of a live release and with its variables. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CloudError } from "../../../src/cloud/cloud.ts";
import { REGION, type PlatformSuite } from "./platform-suite.ts";

export function describeExecutions(suite: PlatformSuite): void {
  const { build, release, execute, seeExecution, endOfExecution, newService, newToken, readAll } = suite;
  const textOf = async (token: string) => {
    const { lines } = await readAll((cursor) => suite.platform.executions.logs(suite.account, token, cursor));
    return lines.map(({ text }) => text).join("\n");
  };
  const scheduler = async (...variables: Parameters<typeof release>[1] & object) => {
    const service = newService();
    const built = await build(service, "scheduler");
    return { service, word: built.token, release: await release(built, variables) };
  };

  describe("executions", () => {
    test("a command has the files and the variables of the live release", async () => {
      const service = newService();
      const built = await build(service, "scheduler");
      const name = `/slipway/${newToken()}/${service.environmentId}/KEY`;
      const reference = await suite.harness.putSecret(suite.account, REGION, name, "very-hidden");
      const live = await release(built, [
        { name: "PLAIN", kind: "plainText", value: "a 'quoted' $value" },
        { name: "KEY", kind: "fromSecretsManager", reference },
      ]);
      const command = 'cat word; echo " PLAIN is $PLAIN"; echo "KEY has ${#KEY} characters: $KEY"';
      const token = await execute({ service, release: live, command });
      const { startedAt, endedAt, ...ended } = await endOfExecution(token).then(
        (seen) => seen ?? assert.fail(),
      );
      assert.deepEqual(ended, { token, status: "SUCCEEDED", exitCode: 0, failure: null });
      assert.ok(startedAt !== null && endedAt !== null && endedAt >= startedAt);
      const text = await textOf(token);
      assert.match(text, new RegExp(`^${built.token} PLAIN is a 'quoted' \\$value$`, "m"));
      assert.match(text, /^KEY has 11 characters: /m);
      assert.equal(text.includes("very-hidden"), !suite.harness.hidesValues);
    });

    test("a command that fails has its exit code, and says why", async () => {
      const token = await execute({ ...(await scheduler()), command: "echo oh no >&2; exit 3" });
      const ended = await endOfExecution(token);
      assert.deepEqual([ended?.status, ended?.exitCode], ["FAILED", 3]);
      assert.match(ended?.failure?.message ?? "", /3/);
      assert.match(await textOf(token), /oh no/);
    });

    test("one token starts one execution, and accounts do not see each other's", async () => {
      const { service, release: live } = await scheduler();
      const token = await execute({ service, release: live, command: "echo once" });
      const ended = await endOfExecution(token);
      const again = { token, service, release: live, command: "echo twice", timeLimitSeconds: 9 };
      const size = { cpu: 0.25, memoryGb: 0.5 };
      assert.deepEqual(await suite.platform.executions.start(suite.account, { ...again, size }), ended);
      assert.doesNotMatch(await textOf(token), /twice/);
      const { executions } = suite.platform;
      assert.equal(await executions.describe(suite.account, newToken()), null);
      assert.equal(await executions.describe(await suite.harness.connect(), token), null);
      await assert.rejects(
        executions.logs(suite.account, newToken(), null),
        (error) => error instanceof CloudError && error.kind === "gone",
      );
    });

    test("a command ends at its time limit, even if it ignores SIGTERM", async () => {
      const command = "trap '' TERM; echo waiting; while :; do sleep 1; done";
      const token = await execute({ ...(await scheduler()), command, timeLimitSeconds: 1 });
      const ended = await endOfExecution(token);
      assert.deepEqual([ended?.status, ended?.failure?.code], ["TIMED_OUT", "TIMED_OUT"]);
    });

    test("it is cancelled once; cancelling an ended or unknown one is not an error", async () => {
      const token = await execute({ ...(await scheduler()), command: "sleep 600" });
      await seeExecution(token, ({ status }) => status === "RUNNING");
      await suite.platform.executions.cancel(suite.account, token);
      const ended = await endOfExecution(token);
      assert.deepEqual([ended?.status, ended?.failure?.code], ["CANCELLED", "CANCELLED"]);
      await suite.platform.executions.cancel(suite.account, token);
      await suite.platform.executions.cancel(suite.account, newToken());
      assert.deepEqual(await endOfExecution(token), ended);
    });

    test("it fails without its release, and is removed with its service", async () => {
      const { service, release: live } = await scheduler();
      const lost = await endOfExecution(await execute({ service, release: newToken(), command: "true" }));
      assert.deepEqual([lost?.status, lost?.failure?.code], ["FAILED", "RELEASE_NOT_LIVE"]);
      const token = await execute({ service, release: live, command: "sleep 600" });
      await seeExecution(token, ({ status }) => status === "RUNNING");
      await suite.platform.services.remove(suite.account, service);
      assert.equal(await suite.platform.executions.describe(suite.account, token), null);
    });
  });
}
