/** The adapter over a hostile network: every kind of work ends, and has its effect once. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { APIS, type Api } from "../../src/cloud/aws/calls/apis.ts";
import type { Cloud, CloudAccount } from "../../src/cloud/cloud.ts";
import { until } from "../helpers/until.ts";
import { FAULT_KINDS, type FaultKind } from "./emulator/faults.ts";
import { MOTO_URL, NEEDS_MOTO } from "./moto-url.ts";
import { newDomain, type Party, withWorld, work, type World } from "./world.ts";

const REGION = "us-west-2";
const SEED = Number(process.env["SLIPWAY_TEST_SEED"] ?? 20_261_121);
const SKIP = MOTO_URL === null ? NEEDS_MOTO : false;

/** Registers a test in a separate world. */
function play(name: string, story: (world: World) => Promise<void>, seed = SEED): void {
  test(name, () => withWorld({ motoUrl: MOTO_URL ?? "", seed }, story));
}

describe(`the aws cloud over a hostile network (seed ${SEED})`, { skip: SKIP, concurrency: 3 }, () => {
  /** Everything that a group and its variables need from the cloud, from creation to deletion. */
  async function wholeLife({ cloud, emulator }: World, account: CloudAccount): Promise<void> {
    const domain = newDomain();
    await work(() => cloud.identity.verify(account.connectionId, account));
    const { id } = await work(() => cloud.certificates.request(account, { names: [domain], token: "cert" }));
    const made = await work(() =>
      cloud.distributions.create(account, { token: "cdn", origin: { kind: "none" } }),
    );
    for (;;) {
      const seen = await work(() => cloud.certificates.describe(account, id));
      if (seen?.status === "ISSUED") break;
      const record = seen?.domains[0]?.record ?? null;
      if (record !== null) emulator.setDnsRecord(record);
    }
    const update = (aliases: readonly string[], certificateId: string | null, enabled: boolean) =>
      work(async () => {
        const seen = await cloud.distributions.describe(account, made.id);
        assert.ok(seen);
        if (seen.aliases.length === aliases.length && seen.enabled === enabled) return seen;
        const { etag } = seen;
        return await cloud.distributions.update(account, made.id, {
          aliases,
          certificateId,
          enabled,
          etag,
        });
      });
    assert.deepEqual((await update([domain], id, true)).aliases, [domain]);
    for (const kind of ["parameters", "secrets"] as const) {
      for (const [value, token] of [
        ["one", "run-1"],
        ["two", "run-2"],
      ] as const) {
        const write = { region: REGION, name: `/slipway/${kind}/KEY`, value, token };
        await work(() => cloud[kind].put(account, write));
      }
    }
    await update([], null, false);
    assert.equal(await work(() => cloud.certificates.delete(account, id)), "deleted");
    for (;;) {
      const seen = await work(() => cloud.distributions.describe(account, made.id));
      if (seen === null) break;
      await work(() => cloud.distributions.delete(account, seen.id, seen.etag));
    }
  }

  async function assertSingleEffects({ customer }: Party): Promise<void> {
    assert.deepEqual(await customer.certificateArns(), []);
    assert.deepEqual(await customer.distributionIds(), []);
    for (const kind of ["parameters", "secrets"] as const) {
      const where = { region: REGION, name: `/slipway/${kind}/KEY` };
      const found = await (kind === "parameters" ? customer.parameter(where) : customer.secret(where));
      assert.deepEqual(found, { value: "two", versionCount: 2 });
    }
  }

  play(
    "100 parameters are stored at the provider's pace, which is never exceeded, and no other account waits",
    async ({ cloud, connect, callsOf }) => {
      const [{ account, customer }, other] = await Promise.all([connect(), connect()]);
      const names = Array.from({ length: 100 }, (_, n) => `/slipway/many/KEY${n}`);
      const startedAt = performance.now();
      const left = [...names];
      const lane = async (): Promise<void> => {
        for (let name = left.shift(); name !== undefined; name = left.shift()) {
          const write = { region: REGION, name, value: "v", token: "t" };
          await work(() => cloud.parameters.put(account, write));
        }
      };
      const all = Promise.all([lane(), lane(), lane(), lane()]);
      const write = { region: REGION, name: "/slipway/one/KEY", value: "v", token: "t" };
      await cloud.parameters.put(other.account, write);
      assert.ok(performance.now() - startedAt < 20_000, "the other account's write waited");
      await all;
      const tookMs = performance.now() - startedAt;
      const { perSecond, burst } = APIS["ssm:PutParameter"];
      const puts = callsOf(account, "ssm:PutParameter");
      assert.equal(puts.length, names.length);
      const idealMs = ((names.length - burst) / perSecond) * 1_000;
      // Half a minute is for a busy machine: at load 45 it took 63 s.
      assert.ok(tookMs <= 1.2 * idealMs + 30_000, `${tookMs} ms where ${idealMs} are the limit`);
      // In any span of calls, at most a burst plus what the rate allowed; one second more for a busy machine.
      for (const [from, first] of puts.entries()) {
        for (const [count, last] of puts.slice(from).entries()) {
          const spanMs = last.atMs - first.atMs;
          const allowed = burst + ((spanMs + 1_000) / 1_000) * perSecond;
          assert.ok(count + 1 <= allowed, `${count + 1} calls in ${spanMs} ms`);
        }
      }
      for (const name of names)
        assert.equal((await customer.parameter({ region: REGION, name }))?.versionCount, 1);
    },
  );

  for (const kind of FAULT_KINDS) {
    const rate = kind === "hang" ? 0.05 : 0.3;
    play(`with ${kind} on ${rate * 100} % of all calls, all work ends, each effect once`, async (world) => {
      const { connect, emulator, newCloud } = world;
      // What hangs must not hang long here.
      const storm = kind === "hang" ? { ...world, cloud: newCloud(1_000) } : world;
      const parties = await Promise.all([connect(), connect()]);
      emulator.faults.add({ api: "*", kind, rate });
      await Promise.all(parties.map(({ account }) => wholeLife(storm, account)));
      emulator.faults.clear();
      await Promise.all(parties.map(assertSingleEffects));
    });
  }

  play(
    "with 30 % throttling, calls stay within 1.5 times the ideal number",
    async ({ cloud, connect, emulator }) => {
      const { account } = await connect();
      // One after the other, so that the seed decides which call meets a fault.
      const writeAll = async (suffix: string): Promise<number> => {
        const before = emulator.calls.length;
        for (let n = 0; n < 150; n += 1) {
          const write = { region: REGION, name: `slipway/${suffix}/KEY${n}`, value: "v", token: suffix };
          await work(() => cloud.secrets.put(account, write));
        }
        return emulator.calls.length - before;
      };
      const ideal = await writeAll("calm");
      emulator.faults.add({ api: "*", kind: "throttled", rate: 0.3 });
      const storm = await writeAll("storm");
      // Each call is tried 1/(1-0.3) = 1.43 times on average.
      assert.ok(storm <= 1.5 * ideal, `${storm} calls where ${ideal} are ideal`);
    },
    // The seed is fixed: the calls are few, and some seeds exceed the bound by chance.
    20_261_121,
  );

  for (const api of [
    "acm:RequestCertificate",
    "cloudfront:CreateDistribution",
    "ssm:PutParameter",
    "secretsmanager:CreateSecret",
  ] as const) {
    play(
      `a worker killed after ${api}, whose answer it never saw, finds the effect done`,
      async ({ newCloud, connect, emulator }) => {
        const { account, customer } = await connect();
        const domain = newDomain();
        const steps: Partial<Record<Api, (from: Cloud) => Promise<unknown>>> = {
          "acm:RequestCertificate": (from) =>
            from.certificates.request(account, { names: [domain], token: "t" }),
          "cloudfront:CreateDistribution": (from) =>
            from.distributions.create(account, { token: "t", origin: { kind: "none" } }),
          "ssm:PutParameter": (from) =>
            from.parameters.put(account, { region: REGION, name: "/slipway/p/K", value: "v", token: "t" }),
          "secretsmanager:CreateSecret": (from) =>
            from.secrets.put(account, { region: REGION, name: "slipway/s/K", value: "v", token: "t" }),
        };
        const step = steps[api];
        assert.ok(step);
        // Every attempt of the first worker loses its answer; then the worker dies, and its memory with it.
        emulator.faults.add({ api, kind: "lost-response" });
        await assert.rejects(step(newCloud()), { kind: "retryable" });
        emulator.faults.clear();
        await step(newCloud());
        await step(newCloud());
        const counts = {
          "acm:RequestCertificate": (await customer.certificateArns()).length,
          "cloudfront:CreateDistribution": (await customer.distributionIds()).length,
          "ssm:PutParameter": (await customer.parameter({ region: REGION, name: "/slipway/p/K" }))
            ?.versionCount,
          "secretsmanager:CreateSecret": (await customer.secret({ region: REGION, name: "slipway/s/K" }))
            ?.versionCount,
        };
        assert.equal(counts[api], 1);
      },
    );
  }

  for (const api of [
    "acm:DeleteCertificate",
    "cloudfront:DeleteDistribution",
    "ssm:DeleteParameter",
    "secretsmanager:DeleteSecret",
  ] as const) {
    play(
      `a deletion by ${api} whose answer was lost is done`,
      async ({ cloud, connect, emulator, callsOf }) => {
        const { account, customer } = await connect();
        const where = { region: REGION, name: "/slipway/old/KEY" };
        const origin = { kind: "none" } as const;
        const { id: arn } = await cloud.certificates.request(account, { names: [newDomain()], token: "t" });
        const made = await cloud.distributions.create(account, { token: "t", origin });
        const update = { aliases: [], certificateId: null, enabled: false, etag: made.etag };
        const { id, etag } = await cloud.distributions.update(account, made.id, update);
        await cloud.parameters.put(account, { ...where, value: "v", token: "t" });
        await cloud.secrets.put(account, { ...where, value: "v", token: "t" });
        emulator.faults.add({ api, kind: "lost-response", count: 1 });
        await cloud.certificates.delete(account, arn);
        await until(
          async () => (await cloud.distributions.delete(account, id, etag)) === "deleted",
          "deleted",
        );
        await cloud.parameters.delete(account, where);
        await cloud.secrets.delete(account, where);
        assert.ok(callsOf(account, api).length >= 2, "the answer was lost");
        assert.deepEqual(await customer.certificateArns(), []);
        assert.deepEqual(await customer.distributionIds(), []);
        assert.equal(await customer.parameter(where), null);
        assert.equal(await customer.secret(where), null);
      },
    );
  }

  for (const kind of ["parameters", "secrets"] as const) {
    play(`a value of ${kind} written over, whose answer was lost, is one version more`, async (world) => {
      const { cloud, connect, emulator } = world;
      const { account, customer } = await connect();
      const where = { region: REGION, name: "/slipway/over/KEY" };
      await cloud[kind].put(account, { ...where, value: "one", token: "run-1" });
      const api = kind === "parameters" ? "ssm:PutParameter" : "secretsmanager:PutSecretValue";
      emulator.faults.add({ api, kind: "lost-response", count: 2 });
      await work(() => cloud[kind].put(account, { ...where, value: "two", token: "run-2" }));
      const found = await (kind === "parameters" ? customer.parameter(where) : customer.secret(where));
      assert.deepEqual(found, { value: "two", versionCount: 2 });
    });
  }

  play(
    "an update whose answer was lost is seen as done, and its ETag as moved",
    async ({ cloud, connect, emulator }) => {
      const { account } = await connect();
      const made = await cloud.distributions.create(account, { token: "t", origin: { kind: "none" } });
      const update = { aliases: [], certificateId: null, enabled: false, etag: made.etag };
      emulator.faults.add({ api: "cloudfront:UpdateDistribution", kind: "lost-response", count: 1 });
      await assert.rejects(cloud.distributions.update(account, made.id, update), { code: "STALE_ETAG" });
      assert.equal((await cloud.distributions.describe(account, made.id))?.enabled, false);
    },
  );

  play(
    "a secret of ours that is scheduled for deletion is restored and written; one not ours is left",
    async ({ cloud, connect, emulator }) => {
      const { account, customer } = await connect();
      const where = { region: REGION, name: "slipway/gone/KEY" };
      const first = await cloud.secrets.put(account, { ...where, value: "one", token: "run-1" });
      await cloud.secrets.delete(account, where);
      assert.equal(await customer.secret(where), null);
      // AWS's answer for a name that waits for its deletion; moto treats the call as a new one.
      emulator.faults.add({
        api: "secretsmanager:CreateSecret",
        kind: { code: "InvalidRequestException", status: 400 },
        count: 2,
      });
      assert.deepEqual(await cloud.secrets.put(account, { ...where, value: "two", token: "run-2" }), first);
      assert.deepEqual(await customer.secret(where), { value: "two", versionCount: 2 });

      const foreign = { region: REGION, name: "slipway/foreign/KEY" };
      await customer.putSecret(foreign, "theirs");
      await customer.scheduleSecretDeletion(foreign);
      const write = cloud.secrets.put(account, { ...foreign, value: "ours", token: "run-1" });
      await assert.rejects(write, { kind: "invalid", code: "NOT_OURS" });
    },
  );

  const REFUSALS: readonly [
    Api,
    FaultKind,
    object,
    (cloud: Cloud, account: CloudAccount) => Promise<unknown>,
  ][] = [
    [
      "acm:RequestCertificate",
      { code: "LimitExceededException", status: 400 },
      { kind: "limit", code: "CERTIFICATE_REQUEST_QUOTA" },
      (cloud, account) => cloud.certificates.request(account, { names: [newDomain()], token: "t" }),
    ],
    [
      "cloudfront:UpdateDistribution",
      { code: "CNAMEAlreadyExists", status: 409 },
      { kind: "invalid", code: "ALIAS_IN_USE" },
      async (cloud, account) => {
        const { id, etag } = await cloud.distributions.create(account, {
          token: "t",
          origin: { kind: "none" },
        });
        const update = { aliases: [], certificateId: null, enabled: true, etag };
        return await cloud.distributions.update(account, id, update);
      },
    ],
    [
      "cloudfront:CreateDistribution",
      { code: "TooManyDistributions", status: 400 },
      { kind: "limit", code: "TOO_MANY_DISTRIBUTIONS" },
      (cloud, account) => cloud.distributions.create(account, { token: "t", origin: { kind: "none" } }),
    ],
    [
      "ssm:PutParameter",
      { code: "HierarchyTypeMismatchException", status: 400 },
      { kind: "invalid", code: "INVALID_REQUEST" },
      (cloud, account) =>
        cloud.parameters.put(account, { region: REGION, name: "/slipway/x/K", value: "v", token: "t" }),
    ],
  ];
  for (const [api, kind, expected, step] of REFUSALS) {
    play(
      `${JSON.stringify(expected)} from ${api} is reported after one call, and not tried again`,
      async ({ cloud, connect, emulator, callsOf }) => {
        const { account } = await connect();
        emulator.faults.add({ api, kind });
        await assert.rejects(step(cloud, account), expected);
        assert.equal(callsOf(account, api).length, 1);
      },
    );
  }

  play(
    "a parameter that another write holds at the moment is written after it",
    async ({ cloud, connect, emulator }) => {
      const { account, customer } = await connect();
      emulator.faults.add({
        api: "ssm:PutParameter",
        kind: { code: "TooManyUpdates", status: 400 },
        count: 1,
      });
      const where = { region: REGION, name: "/slipway/busy/KEY" };
      await work(() => cloud.parameters.put(account, { ...where, value: "v", token: "t" }));
      assert.equal((await customer.parameter(where))?.versionCount, 1);
    },
  );

  play("a call that hangs ends as a time-out, within its time", async ({ newCloud, connect, emulator }) => {
    const { account } = await connect();
    const timeoutMs = 300;
    const cloud = newCloud(timeoutMs);
    emulator.faults.add({ api: "acm:DescribeCertificate", kind: "hang" });
    const startedAt = performance.now();
    await assert.rejects(cloud.certificates.describe(account, "arn:none"), { code: "TIMEOUT" });
    // Without a limit the SDK waits for ever, with its own for minutes.
    assert.ok(performance.now() - startedAt < 30_000);
  });
});
