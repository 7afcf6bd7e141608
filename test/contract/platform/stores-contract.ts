/** Data stores: created once, with values that lead to their data, which snapshots keep. */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { STORE_TYPES, type StoreSettings, type StoreType } from "../../../src/cloud/data-stores.ts";
import { CloudError } from "../../../src/cloud/cloud.ts";
import type { ObservedStore, PlatformService } from "../../../src/cloud/platform.ts";
import type { PlatformSuite } from "./platform-suite.ts";

const VALUES: Readonly<Record<StoreType, readonly string[]>> = {
  postgres: ["dbConnectionString", "dbName", "host", "password", "port", "username"],
  mysql: ["dbConnectionString", "dbName", "host", "password", "port", "username"],
  redis: ["authToken", "connectionString", "host", "port"],
  bucket: ["bucketName"],
};
/** Values with a password. */
const SECRET = ["authToken", "connectionString", "dbConnectionString", "password"];

export function describeStores(suite: PlatformSuite): void {
  const { newService, newToken, until } = suite;
  const settingsOf = (type: StoreType): StoreSettings => ({ type, deletionProtection: false });
  const requires = (t: TestContext, type: StoreType): boolean => {
    const missing = suite.harness.stores.find((one) => one.type === type)?.missing;
    if (missing === null) return true;
    t.skip(missing ?? `It creates no ${type}.`);
    return false;
  };
  const ensure = (
    service: PlatformService,
    store: StoreSettings,
    snapshot: { serviceId: string; token: string } | null = null,
  ) => suite.platform.stores.ensure(suite.account, { service, store, snapshot });
  /** `ensure` would try again what has failed. */
  async function end(...of: Parameters<typeof ensure>): Promise<ObservedStore> {
    await ensure(...of);
    const seen = await until(
      () => suite.platform.stores.describe(suite.account, of[0]),
      (store) => store?.status === "AVAILABLE" || store?.status === "FAILED",
    );
    return seen ?? assert.fail();
  }
  async function create(...of: Parameters<typeof ensure>): Promise<ObservedStore> {
    const made = await end(...of);
    assert.deepEqual([made.status, made.failure, made.waitingFor], ["AVAILABLE", null, null]);
    return made;
  }
  async function remove(service: PlatformService, snapshot: string | null): Promise<void> {
    const { stores } = suite.platform;
    await until(
      () => stores.remove(suite.account, service, snapshot),
      (seen) => seen === null,
    );
  }
  async function seeSnapshot(service: PlatformService, token: string) {
    return await until(
      () => suite.platform.stores.snapshots.describe(suite.account, service, token),
      (seen) => seen?.status !== "CREATING",
    );
  }
  const isInvalid = (error: unknown) => error instanceof CloudError && error.kind === "invalid";

  describe("data stores", () => {
    for (const type of STORE_TYPES) {
      test(`a ${type} is created once, has its values, and is deleted once`, async (t) => {
        if (!requires(t, type)) return;
        const { stores } = suite.platform;
        const service = newService();
        assert.equal(await stores.describe(suite.account, service), null);
        const first = await ensure(service, settingsOf(type));
        assert.deepEqual([first.status, first.failure, first.values], ["CREATING", null, {}]);
        const made = await create(service, settingsOf(type));
        assert.deepEqual(Object.keys(made.values).sort(), VALUES[type]);
        for (const [name, { kind }] of Object.entries(made.values))
          assert.equal(kind === "plainText", !SECRET.includes(name), name);
        assert.deepEqual(await ensure(service, settingsOf(type)), made);
        assert.deepEqual(await stores.describe(suite.account, service), made);
        assert.equal(await stores.describe(await suite.harness.connect(), service), null);
        assert.deepEqual(await stores.listDown(suite.account, [{ ...service, type }]), new Map());

        const other: StoreType = type === "bucket" ? "redis" : "bucket";
        await assert.rejects(ensure(service, settingsOf(other)), isInvalid);
        if (type !== "bucket")
          await assert.rejects(ensure(service, { type, version: "1", deletionProtection: false }), isInvalid);
        assert.deepEqual(await stores.describe(suite.account, service), made);

        await remove(service, null);
        await remove(service, null);
        assert.equal(await stores.describe(suite.account, service), null);
      });

      if (type === "bucket") continue;
      test(`snapshots of a ${type} outlive it, and other stores begin with their data`, async (t) => {
        if (!requires(t, type)) return;
        const { snapshots } = suite.platform.stores;
        const { openStore } = suite.harness;
        const listOf = async (values: ObservedStore["values"]) => {
          const client = await openStore?.(suite.account, values);
          const texts = await client?.list();
          await client?.end();
          return texts;
        };
        const service = newService();
        const source = await create(service, settingsOf(type));
        const client = await openStore?.(suite.account, source.values);
        await client?.add("one");
        const [one, two] = [newToken(), newToken()];
        const begun = await snapshots.create(suite.account, service, one);
        assert.deepEqual([begun.token, begun.failure], [one, null]);
        const taken = await seeSnapshot(service, one);
        assert.deepEqual([taken?.status, taken?.failure], ["AVAILABLE", null]);
        assert.deepEqual(await snapshots.create(suite.account, service, one), taken);
        await client?.end().catch(() => undefined);
        await create(service, settingsOf(type));
        const again = await openStore?.(suite.account, source.values);
        await again?.add("two");
        await again?.end();
        await remove(service, two);
        assert.equal((await seeSnapshot(service, two))?.status, "AVAILABLE");

        for (const [token, texts] of [
          [one, ["one"]],
          [two, ["one", "two"]],
        ] as const) {
          const copy = newService();
          const made = await create(copy, settingsOf(type), { serviceId: service.serviceId, token });
          assert.notDeepEqual(made.values, source.values);
          if (openStore !== null) assert.deepEqual(await listOf(made.values), texts);
          await remove(copy, null);
          await snapshots.remove(suite.account, service, token);
          await snapshots.remove(suite.account, service, token);
          assert.equal(await snapshots.describe(suite.account, service, token), null);
        }
        const lost = { serviceId: service.serviceId, token: one };
        const failed = await end(newServiceOf(service), settingsOf(type), lost);
        assert.deepEqual([failed.status, failed.values], ["FAILED", {}]);
        assert.match(failed.failure?.message ?? "", /^[A-Z].*snapshot.*\.$/);
      });
    }
  });
  const newServiceOf = ({ serviceId, ...place }: PlatformService): PlatformService => ({
    ...place,
    serviceId: `${serviceId}-restored`,
  });
}
