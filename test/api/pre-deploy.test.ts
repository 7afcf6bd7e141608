/** The command before a release, in deployments over the API. */
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

describe("the command before a release", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance({ tuning: { platform: instantTuning.platform } });
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
  });
  after(() => instance.dispose());

  it("ends a deployment if it fails, without a failed request; a rollback runs that of its commit, a restart none", async () => {
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
});
