/**
 * A deployment whose processes are killed at each of its steps: at every kind of call to the cloud, before
 * it is heard there and after it is done but unknown. Which of its calls, and whether the sandbox dies
 * with the service, the seed says. `SLIPWAY_TEST_FULL=1` kills at every call, `SLIPWAY_TEST_SEED` sets the seed.
 */
import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom } from "../crash/random.ts";
import {
  type DeployingProcesses,
  type Moment,
  startDeployingProcesses,
} from "../helpers/processes/deploying-processes.ts";
import { ended } from "../helpers/customers/deployments.ts";
import { keepAsking } from "../helpers/keep-asking.ts";
import { until } from "../helpers/until.ts";
import { deployFirstVersion, type Versions } from "../helpers/processes/versions.ts";

const SEED = Number(process.env["SLIPWAY_TEST_SEED"] ?? 1);
const isThorough = process.env["SLIPWAY_TEST_FULL"] === "1";
/** No death is begun after this, so that a machine that is busy does not hold the suite up; half is enough at rest. */
const BUDGET_MS = isThorough ? Number.POSITIVE_INFINITY : 40_000;
/** All deaths at every call, at rest. */
const THOROUGH_MS = 3_600_000;

type Death = {
  readonly operation: string;
  readonly moment: Moment;
  /** Which of the deployment's calls of the operation, from 1. */
  readonly nth: number;
  readonly victim: "service" | "service and sandbox";
};

describe("a deployment interrupted by kill -9", () => {
  let rig: DeployingProcesses;
  let versions: Versions;
  /** Calls of an undisturbed deployment, by operation. */
  const calls = new Map<string, number>();

  before(async () => {
    rig = await startDeployingProcesses(null);
    versions = await deployFirstVersion(rig, "killed");
  });
  after(() => rig.dispose());

  it("makes calls of the kinds that are known", async () => {
    const version = await versions.push();
    rig.watch(({ operation }, moment) => {
      if (moment === "before") calls.set(operation, (calls.get(operation) ?? 0) + 1);
      return false;
    });
    await ended(rig.admin, await versions.deploy());
    rig.watch(null);
    await versions.assertServes(version);
    const known = ["builds.describe", "builds.start", "git.read", "releases.describe", "releases.start"];
    assert.deepEqual([...calls.keys()].toSorted(), known);
  });

  it("ends as it would have, whichever call is interrupted", { timeout: THOROUGH_MS }, async (t) => {
    const random = createRandom(SEED);
    const deadline = performance.now() + BUDGET_MS;
    const deaths = random.shuffle(listDeaths((limit) => random.below(limit)));
    let struck = 0;
    for (const death of deaths) {
      if (performance.now() > deadline) break;
      struck += 1;
      const delayMs = random.below(300);
      await t.test(`${death.moment} ${death.operation} ${death.nth}, of the ${death.victim}`, (one) =>
        strike(one, death, delayMs),
      );
    }
    t.diagnostic(`seed ${SEED}: ${struck} of ${deaths.length} deaths`);
  });

  function listDeaths(below: (limit: number) => number): readonly Death[] {
    const victims = ["service", "service and sandbox"] as const;
    return [...calls].flatMap(([operation, count]) =>
      (["before", "after"] as const).flatMap((moment): readonly Death[] => {
        if (!isThorough) {
          return [{ operation, moment, nth: 1 + below(count), victim: victims[below(2)] ?? "service" }];
        }
        const every = Array.from({ length: count }, (_, index) => index + 1);
        return every.flatMap((nth) => victims.map((victim) => ({ operation, moment, nth, victim })));
      }),
    );
  }

  async function strike(t: TestContext, death: Death, delayMs: number): Promise<void> {
    const service = rig.services.get("service");
    assert.ok(service !== undefined);
    const version = await versions.push();
    const load = keepAsking(() => rig.getPage(versions.apiHost));
    const struck = Promise.withResolvers<boolean>();
    let left = death.nth;
    rig.watch(({ operation }, moment) => {
      if (operation === death.operation && moment === death.moment) left -= 1;
      if (left > 0) return false;
      struck.resolve(true);
      // Its calls are ignored until it is dead.
      return true;
    });
    const id = await versions.deploy();
    // Under another load it may need fewer calls.
    const isOver = until(
      async () => left <= 0 || (await rig.admin.get(`/v1/deployments/${id}`)).body.endedAt !== null,
      "the deployment ends, or is struck",
      60_000,
    );
    // It is struck while it is asked.
    isOver.then(
      () => struck.resolve(left <= 0),
      () => struck.resolve(left <= 0),
    );
    if (await struck.promise) {
      await service.kill();
      if (death.victim !== "service") {
        // The sandbox's own work continues for a moment: checking out, building, switching.
        await sleep(delayMs);
        await rig.sandbox.kill();
        await rig.sandbox.start();
      }
      rig.watch(null);
      await service.start();
    } else {
      t.diagnostic("It had ended before that call.");
    }
    rig.watch(null);
    await ended(rig.admin, id);
    await versions.assertServes(version);
    const { asked, failed } = await load.stop();
    assert.ok(asked > 0);
    // The edge is in the sandbox, and dies with it.
    if (death.victim === "service") assert.deepEqual(failed, []);
  }
});
