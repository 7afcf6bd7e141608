/** A preview whose process is killed while it is made and while it is removed: both complete, and nothing is left. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createIacProject, push, withConfig } from "../helpers/customers/deployments.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import {
  type DeployingProcesses,
  startDeployingProcesses,
} from "../helpers/processes/deploying-processes.ts";
import { until } from "../helpers/until.ts";

const PATIENCE_MS = 120_000;
const SERVER = `require("node:http").createServer((_, response) => response.end("it lives")).listen(process.env.PORT, "127.0.0.1");`;
const CONFIG = {
  environments: [
    {
      id: "preview",
      region: "us-west-2",
      source: { branch: "main", pr: true, previews: { access: "public" } },
      services: [{ id: "web", type: "web", startCommand: "node server.js", port: 3000 }],
    },
  ],
};

describe("a preview interrupted by kill -9", () => {
  let rig: DeployingProcesses;
  let address: string;
  before(async () => {
    rig = await startDeployingProcesses(null);
    await connectAccount(rig.admin, "main");
    await integrateGit(rig.admin);
    await push(rig, "killed", withConfig(CONFIG, { "server.js": SERVER }));
    address = `/v1/projects/${await createIacProject(rig.admin, "killed")}/previews/mine`;
  });
  after(() => rig.dispose());

  /** Kills the service at a call to the cloud, loses the call or its answer, and starts it again. */
  const killAt = async (pattern: RegExp, moment: "before" | "after", act: () => Promise<void>) => {
    const struck = Promise.withResolvers<void>();
    let isStruck = false;
    rig.watch((call, when) => {
      if (!isStruck && (when !== moment || !pattern.test(call.operation))) return false;
      isStruck = true;
      struck.resolve();
      return true;
    });
    await act();
    await until(async () => isStruck, `a call ${String(pattern)}`, PATIENCE_MS);
    await struck.promise;
    const service = rig.services.get("service");
    assert.ok(service !== undefined);
    await service.kill();
    rig.watch(null);
    await service.start();
  };
  const untilServed = async () => {
    const { environmentId } = await until(
      async () => {
        const { body } = await rig.admin.get(address);
        return body.environmentId === null ? null : (body as { environmentId: string });
      },
      "it has an environment",
      PATIENCE_MS,
    );
    const host = await until(
      async () => {
        const { services = [] } = (await rig.admin.get(`/v1/environments/${environmentId}/services`)).body;
        if (services.length === 0) return null;
        return (await rig.admin.get(`/v1/services/${services[0].id}`)).body.cdnDomainName as string | null;
      },
      "it has an address",
      PATIENCE_MS,
    );
    await until(async () => (await rig.getPage(host)).body === "it lives", "it answers", PATIENCE_MS);
  };

  for (const [making, removing, moment] of [
    [/builds\.start/, /remove|delete|stop/i, "before"],
    [/releases\.start/, /remove|delete|stop/i, "after"],
  ] as const)
    it(`${moment} ${making.source} and ${moment} its removal: it completes, and leaves nothing`, async () => {
      await killAt(making, moment, async () => {
        const { status, text } = await rig.admin.put(address, {});
        assert.equal(status, 200, text);
      });
      await untilServed();
      await killAt(removing, moment, async () => {
        const { body } = await rig.admin.get(address);
        const { status, text } = await rig.admin.delete(`/v1/previews/${body.id}`);
        assert.equal(status, 202, text);
      });
      await until(async () => (await rig.admin.get(address)).status === 404, "it is removed", PATIENCE_MS);
      assert.deepEqual(rig.listProcesses(), []);
      assert.deepEqual(rig.listFolders().releases, []);
    });
});
