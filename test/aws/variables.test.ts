/** Many values at AWS's own pace, as a client of the API sees it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { APIS } from "../../src/cloud/aws/calls/apis.ts";
import { until } from "../helpers/until.ts";
import { customerOf } from "./emulator/customer.ts";
import { type Emulator, startEmulator } from "./emulator/emulator.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { type AwsSlipway, type Project, startSlipway } from "./slipway.ts";

const COUNT = 100;
const PATIENCE_MS = 300_000;

describe("variables on aws", { skip: MOTO_URL === null ? NEEDS_MOTO : false }, () => {
  const motoUrl = MOTO_URL ?? "";
  let emulator: Emulator;
  let slipway: AwsSlipway;
  let projects: readonly Project[];
  before(async () => {
    emulator = await startEmulator({ motoUrl, seed: 17 });
    const started = await startSlipway(emulator);
    slipway = started;
    projects = [await started.createProject("many"), await started.createProject("few")];
  });
  after(async () => {
    await slipway.stop();
    await emulator.stop();
  });

  async function write({ environmentId }: Project, count: number): Promise<string> {
    const values = Object.fromEntries(Array.from({ length: count }, (_, n) => [`KEY_${n}`, `value ${n}`]));
    const path = `/v1/environments/${environmentId}/env-variables`;
    const accepted = await slipway.api.post(path, { parameterStore: values });
    assert.equal(accepted.status, 202, JSON.stringify(accepted.body));
    return accepted.headers.get("location") ?? "";
  }
  const read = async (run: string) => (await slipway.api.get(run)).body;

  test(`${COUNT} parameters are stored at the account's pace, their progress shows, and another account's run does not wait`, async () => {
    const [many, few] = projects;
    assert.ok(many && few);
    const run = await write(many, COUNT);
    const progress = new Set<number>();
    const seen = async (path: string) => {
      const body = await read(path);
      if (path === run) progress.add(body.processedEnvVariables);
      return body;
    };
    await until(async () => (await seen(run)).processedEnvVariables > 0, "the first are stored", PATIENCE_MS);
    const other = await write(few, 5);
    await until(async () => (await seen(other)).isFinished, "the other account's run ends", PATIENCE_MS);
    const meanwhile = await seen(run);
    assert.equal(meanwhile.isFinished, false);
    assert.ok(meanwhile.processedEnvVariables < COUNT, String(meanwhile.processedEnvVariables));
    const { storedEnvVariables, failedEnvVariables } = await until(
      async () => {
        const body = await seen(run);
        return body.isFinished && body;
      },
      "all are stored",
      PATIENCE_MS,
    );
    assert.deepEqual(failedEnvVariables, {});
    assert.equal(Object.keys(storedEnvVariables).length, COUNT);
    assert.ok(progress.size > 10, `seen on the way: ${[...progress].join(", ")}`);
    assert.deepEqual(
      [...progress],
      [...progress].toSorted((a, b) => a - b),
      "it never goes back",
    );

    const puts = emulator.calls.filter(
      ({ api, accountId }) => api === "ssm:PutParameter" && accountId === many.accountId,
    );
    assert.equal(puts.length, COUNT, "each is sent once");
    const { perSecond, burst } = APIS["ssm:PutParameter"];
    for (const [from, first] of puts.entries()) {
      for (const [count, last] of puts.slice(from).entries()) {
        const spanMs = last.atMs - first.atMs;
        // A second for a busy machine, which may hold calls back and let them go together.
        const allowed = burst + ((spanMs + 1_000) / 1_000) * perSecond;
        assert.ok(count + 1 <= allowed, `${count + 1} calls in ${spanMs} ms`);
      }
    }
    const customer = await customerOf(motoUrl, many.roleArn);
    for (const { fromParameterStore: name } of Object.values<{ fromParameterStore: string }>(
      storedEnvVariables,
    )) {
      assert.equal((await customer.parameter({ region: "us-west-2", name }))?.versionCount, 1);
    }
  });
});
