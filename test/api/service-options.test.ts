/** Settings of services in the sandbox: each release has those of its own configuration. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
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

describe("the settings of a service", () => {
  let instance: Instance;
  before(async () => {
    instance = await startInstance();
    await connectAccount(instance.admin, "main");
    await integrateGit(instance.admin);
  });
  after(() => instance.dispose());

  it("make a static site a single-page app, until a release without them", async () => {
    const { admin } = instance;
    const files = { "public/index.html": "the app", "public/404.html": "not here" };
    const site = (more: object) =>
      withConfig(configOf([{ id: "site", type: "static", outputDirectory: "public", ...more }]), files);
    await push(instance, "app", site({ singlePageApp: true }));
    const { site: id = "" } = await listServices(admin, await createIacProject(admin, "app"));
    const answers = async () =>
      await Promise.all(
        ["/orders/17", "/old.js"].map(async (path) => {
          const { status, body } = await getPage(instance, id, path);
          return [status, body];
        }),
      );
    const first = await ended(admin, await deploy(admin, "app"));
    const asApp = [
      [200, "the app"],
      [404, "not here"],
    ];
    assert.deepEqual(await answers(), asApp);
    assert.equal((await admin.get(`/v1/services/${id}`)).body.settings.singlePageApp, true);

    await push(instance, "app", site({}));
    await ended(admin, await deploy(admin, "app"));
    assert.deepEqual(await answers(), [
      [404, "not here"],
      [404, "not here"],
    ]);

    const back = await admin.post(`/v1/deployments/${first.id}/rollback`);
    await ended(admin, back.body.deployment.id);
    assert.deepEqual(await answers(), asApp);
  });
});
