/** The number of instances where each service has one: it is shown, and a change is refused with what to do. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { instantTuning } from "../../sandbox/src/tuning.ts";
import type { ApiClient } from "../helpers/api-client.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../helpers/customers/deployments.ts";
import { connectAccount, GIT_INTEGRATION } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";

const WORKER = { id: "worker", type: "worker", startCommand: "exec sleep 86400", maxInstances: 4 };
const SITE = { id: "site", type: "static", outputDirectory: "public" };

describe("the instances of a service", () => {
  let instance: Instance;
  let admin: ApiClient;
  let ids: Readonly<Record<string, string>>;
  before(async () => {
    instance = await startInstance({ tuning: { platform: instantTuning.platform } });
    ({ admin } = instance);
    await admin.post("/v1/git-integrations", GIT_INTEGRATION);
    await connectAccount(admin, "main");
    await push(instance, "scaled", withConfig(configOf([WORKER, SITE]), { "public/index.html": "one" }));
    ids = await listServices(admin, await createIacProject(admin, "scaled"));
  });
  after(() => instance.dispose());

  const read = async (serviceId = "") => (await admin.get(`/v1/services/${serviceId}/scaling`)).body;
  const scale = (serviceId = "", body: object = { operation: "set", count: 2 }) =>
    admin.post(`/v1/services/${serviceId}/scaling`, body);

  it("are not known before the first release, nor of files", async () => {
    for (const [id, problem] of [
      [ids["worker"], /The service has no live release/],
      [ids["site"], /type static has no instances/],
    ] as const) {
      const { desiredInstances, runningInstances, minInstances, problem: said } = await read(id);
      assert.deepEqual([desiredInstances, runningInstances, minInstances], [null, null, null]);
      assert.match(said, problem);
      const refused = await scale(id);
      assertRefused(refused, 409, "SERVICE_NOT_SCALABLE");
      assert.match(refused.body.detail, problem);
    }
  });

  it("are one in the sandbox, whatever the configuration says, and stay one", async () => {
    await ended(admin, await deploy(admin, "scaled"));
    const one = {
      serviceId: ids["worker"],
      currentInstances: 1,
      desiredInstances: 1,
      runningInstances: 1,
      pendingInstances: 0,
      autoscalingEnabled: false,
      minInstances: 1,
      maxInstances: 1,
      problem: null,
    };
    assert.deepEqual(await read(ids["worker"]), one);
    const refused = await scale(ids["worker"]);
    assertRefused(refused, 409, "SERVICE_NOT_SCALABLE");
    assert.match(refused.body.detail, /sandbox runs one instance of each service/);
    assert.deepEqual(await read(ids["worker"]), one);
  });

  it("are whole numbers, and one of three operations", async () => {
    for (const body of [
      { operation: "set", count: 1.5 },
      { operation: "set", count: -1 },
      { operation: "set", count: 101 },
      { operation: "double", count: 1 },
      { count: 1 },
      { operation: "add" },
    ])
      assertRefused(await scale(ids["worker"], body), 400, "INVALID_REQUEST");
  });
});
