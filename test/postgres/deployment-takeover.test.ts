/** Deployments with two workers, one of which is killed in the middle: the other finishes them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type DeployingProcesses,
  startDeployingProcesses,
} from "../helpers/processes/deploying-processes.ts";
import { ended } from "../helpers/customers/deployments.ts";
import { keepAsking } from "../helpers/keep-asking.ts";
import { createPostgresCopy } from "../helpers/template.ts";
import { deployFirstVersion, type Versions } from "../helpers/processes/versions.ts";

const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];

describe(
  "a deployment of two workers",
  { skip: adminUrl === undefined && "part of npm run test:postgres" },
  () => {
    let database: Awaited<ReturnType<typeof createPostgresCopy>>;
    let rig: DeployingProcesses;
    let versions: Versions;

    before(async () => {
      assert.ok(adminUrl !== undefined);
      database = await createPostgresCopy(adminUrl);
      rig = await startDeployingProcesses(database.url);
      versions = await deployFirstVersion(rig, "taken");
    });
    after(async () => {
      await rig.dispose();
      await database.drop();
    });

    for (const [moment, operation] of [
      ["before", "git.read"],
      ["after", "builds.start"],
      ["after", "releases.start"],
    ] as const) {
      it(`continues with the other when one is killed ${moment} ${operation}, without a failed request`, async () => {
        const version = await versions.push();
        const load = keepAsking(() => rig.getPage(versions.apiHost));
        const struck = Promise.withResolvers<string>();
        let victim: string | null = null;
        rig.watch((call, at) => {
          if (victim === null && call.operation === operation && at === moment) {
            victim = call.caller;
            struck.resolve(victim);
          }
          // The other one is heard.
          return call.caller === victim;
        });
        const id = await versions.deploy();
        const worker = rig.services.get(await struck.promise);
        assert.ok(worker !== undefined);
        await worker.kill();
        await ended(rig.admin, id);
        await versions.assertServes(version);
        rig.watch(null);
        await worker.start();
        const { asked, failed } = await load.stop();
        assert.ok(asked > 20, `only ${asked} requests`);
        assert.deepEqual(failed, []);
      });
    }
  },
);
