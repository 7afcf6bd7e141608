/** The commands before and after a release, in deployments over the API. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  getPage,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { keepAsking } from "../helpers/keep-asking.ts";
import { until } from "../helpers/until.ts";

/** Answers with what the command before it has written. */
const SERVER = `
require("node:http")
  .createServer((_, response) => response.end(require("node:fs").readFileSync("migrated.txt", "utf8")))
  .listen(process.env.PORT, "127.0.0.1");`;
const webOf = (preDeployCommand: string) => ({
  id: "web",
  type: "web",
  basePath: "apps/web",
  startCommand: "[ -e migrated.txt ] || echo nothing > migrated.txt; node server.js",
  preDeployCommand,
  port: 3000,
});
const FILES = { "apps/web/server.js": SERVER };

describe("the commands of a release", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance({ tuning: { platform: instantTuning.platform } });
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
  });
  after(() => instance.dispose());

  it("before it ends a deployment if it fails, without a failed request; a rollback runs that of its commit, a restart none", async () => {
    const { admin } = instance;
    const pushed = async (command: string) =>
      await push(instance, "migrated", withConfig(configOf([webOf(command)]), FILES));
    const deployNow = async (status?: string) => await ended(admin, await deploy(admin, "migrated"), status);
    await pushed('echo "$SLIPWAY_GIT_BRANCH $NAME" >> migrated.txt');
    const projectId = await createIacProject(admin, "migrated");
    const { web = "" } = await listServices(admin, projectId);
    await admin.post(`/v1/services/${web}/env-variables`, { plainText: { NAME: "one" } });
    const first = await deployNow();
    const page = async () => (await getPage(instance, web)).body;
    assert.equal(await page(), "main one\n");
    const { settings } = (await admin.get(`/v1/services/${web}`)).body;
    assert.equal(settings.preDeployCommand, 'echo "$SLIPWAY_GIT_BRANCH $NAME" >> migrated.txt');

    await pushed("sleep 1; echo it is broken; exit 3");
    const asking = keepAsking(() => getPage(instance, web));
    const failed = await deployNow("ERROR");
    const { asked, failed: unanswered } = await asking.stop();
    assert.ok(asked > 0);
    assert.deepEqual(unanswered, []);
    assert.equal(await page(), "main one\n");
    assert.deepEqual(failed.services[0].error, {
      code: "PRE_DEPLOY_FAILED",
      message: "preDeployCommand ended with exit code 3; the log says why.",
    });
    const log = await admin.get(`/v1/deployments/${failed.id}/logs`);
    assert.match(log.text, /it is broken/);

    await admin.post(`/v1/services/${web}/env-variables`, { plainText: { NAME: "two" } });
    const rollback = await admin.post(`/v1/deployments/${first.id}/rollback`, {});
    await ended(admin, rollback.body.deployment.id);
    assert.equal(await page(), "main two\n");
    const restart = await admin.post(`/v1/services/${web}/restart`, {});
    await ended(admin, restart.body.id);
    assert.equal(await page(), "nothing\n");
  });

  it("after it runs once in the live release, and fails nothing", async () => {
    const { admin } = instance;
    const pushed = async (postDeployCommand: string | readonly string[]) =>
      await push(instance, "warmed", withConfig(configOf([{ ...webOf("true"), postDeployCommand }]), FILES));
    await pushed(["sh", "-c", 'echo "after $SLIPWAY_GIT_BRANCH"; exit "$0"', "3"]);
    const projectId = await createIacProject(admin, "warmed");
    const { web = "" } = await listServices(admin, projectId);
    const afterwards = (id: string) =>
      until(async () => {
        const { status, services } = (await admin.get(`/v1/deployments/${id}`)).body;
        assert.equal(status, "SUCCESS");
        return services[0].postDeploy.status !== "RUNNING" && services[0].postDeploy;
      }, "postDeployCommand ends");
    const first = await ended(admin, await deploy(admin, "warmed"));
    const failed = await afterwards(first.id);
    assert.deepEqual(
      [failed.status, failed.error.message],
      ["FAILED", "The command ended with exit code 3; the log says why."],
    );
    const execution = (await admin.get(`/v1/executions/${failed.executionId}`)).body;
    assert.deepEqual(
      [execution.trigger, execution.deploymentId, execution.exitCode, execution.startedBy],
      ["deploy", first.id, 3, null],
    );
    assert.match((await admin.get(`/v1/executions/${failed.executionId}/logs`)).text, /after main/);
    const events = await until(async () => {
      const { body } = await admin.get("/v1/events?types=execution.failed&limit=100");
      return body.events.length > 0 && body.events;
    }, "the event");
    assert.deepEqual(
      events.map(({ data }: { data: Record<string, unknown> }) => [data["executionId"], data["trigger"]]),
      [[failed.executionId, "deploy"]],
    );

    await pushed("true");
    const second = await ended(admin, await deploy(admin, "warmed"));
    assert.equal((await afterwards(second.id)).status, "SUCCEEDED");
    const rollback = await admin.post(`/v1/deployments/${first.id}/rollback`, {});
    await ended(admin, rollback.body.deployment.id);
    assert.equal((await afterwards(rollback.body.deployment.id)).status, "FAILED");
    const restart = await admin.post(`/v1/services/${web}/restart`, {});
    assert.equal((await ended(admin, restart.body.id)).services[0].postDeploy, null);
    const { executions } = (await admin.get(`/v1/services/${web}/executions?trigger=deploy`)).body;
    assert.equal(executions.length, 3);
  });
});
