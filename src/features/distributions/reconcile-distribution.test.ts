import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import { until } from "../../../test/helpers/until.ts";
import {
  type Cloud,
  CloudError,
  type ObservedDistribution,
  type DistributionUpdate,
  type Origin,
} from "../../cloud/cloud.ts";
import { accessKeyOf, type PreviewAccess } from "../../cloud/preview-access.ts";
import { type Database, writeStatement } from "../../db/database.ts";
import { openPgliteDatabase } from "../../db/drivers/pglite.ts";
import { newConnectionId, newId } from "../../lib/ids.ts";
import type { EntityRef } from "../../jobs/jobs.ts";
import { createOrganization } from "../organizations/commands.ts";
import { createTestClock } from "../../sealing/testing.ts";
import { reconcileDistribution } from "./reconcile-distribution.ts";
import { distributions } from "./store.ts";

const INSERT_ACCOUNT = writeStatement(
  "test_insert_account",
  `INSERT INTO aws_accounts (organization_id, id, given_id, name, status, connected_aws_account_id, role_arn)
   VALUES ($1, $2, 'test', 'Test', 'CONNECTED', '123456789012', 'arn:aws:iam::123456789012:role/slipway')`,
);

describe("a distribution", () => {
  let folder: string;
  let db: Database;
  let organizationId: string;
  const awsAccountId = newConnectionId();
  before(async () => {
    folder = await makeTempDir("distribution");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    organizationId = (
      await db.transaction((tx) => createOrganization(tx, "Test", "test-key-0123456789abcdef"))
    ).organizationId;
    await db.query(INSERT_ACCOUNT, [organizationId, awsAccountId]);
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true });
  });

  const inCloud = new Map<string, ObservedDistribution>();
  const pokes: EntityRef[] = [];
  let clock = createTestClock();
  beforeEach(() => {
    inCloud.clear();
    pokes.length = 0;
    clock = createTestClock();
  });

  async function insert(
    of: { serviceId?: string; isDefault?: boolean; origin?: Origin } = {},
  ): Promise<string> {
    const id = newId("cdn");
    const fields = { serviceId: newId("svc"), isDefault: false, origin: { kind: "none" } as const, ...of };
    const row = { organizationId, id, awsAccountId, ...fields };
    await db.transaction((tx) => distributions.insert(tx, row));
    return id;
  }

  /** The provider creates another distribution with each call, as if it no longer knew the tokens of earlier calls. */
  function make(): ObservedDistribution {
    const id = `E${inCloud.size + 1}`;
    const made = {
      id,
      domainName: `d${inCloud.size + 1}.cdn.example`,
      aliases: [],
      certificateId: null,
      enabled: true,
      redirectsKey: null,
      accessKey: null,
      routesKey: null,
      changedAt: new Date(0),
      deployed: true,
      etag: "1",
    };
    inCloud.set(id, made);
    return made;
  }

  /**
   * @param create what the provider does with the call
   * @param onUpdate is called with each update before it is done
   */
  function lookWith(
    create: () => Promise<ObservedDistribution>,
    onUpdate: (update: DistributionUpdate) => Promise<void> = async () => undefined,
    servesRepositories = true,
    access: PreviewAccess | null = null,
  ) {
    const calls = {
      create,
      describe: async (_account: unknown, providerId: string) => inCloud.get(providerId) ?? null,
      async update(_account: unknown, providerId: string, update: DistributionUpdate) {
        await onUpdate(update);
        const seen = inCloud.get(providerId);
        assert.ok(seen);
        const updated = { ...seen, enabled: update.enabled, etag: "2" };
        inCloud.set(providerId, updated);
        return updated;
      },
      forgetRedirects: () => Promise.resolve(),
      async delete(_account: unknown, providerId: string) {
        inCloud.delete(providerId);
        return "deleted" as const;
      },
    };
    const reconcile = reconcileDistribution({
      db,
      cloud: { distributions: calls, servesRepositories } as unknown as Cloud,
      clock,
      jobs: { enqueue: async (_tx, _kind, ref) => void pokes.push(ref) },
      findAccess: () => Promise.resolve(access),
      onChanged: async () => undefined,
    });
    return (id: string) => reconcile({ organizationId, id }, new AbortController().signal);
  }

  async function lookToTheEnd(look: ReturnType<typeof lookWith>, id: string): Promise<void> {
    for (let looks = 0; (await look(id)) !== "done"; looks += 1) assert.ok(looks < 10, "it comes to an end");
    assert.equal(await distributions.find(db, organizationId, id), null);
  }

  it("that is created wakes readers of the service that shows its host", async () => {
    const told: string[] = [];
    const listener = await db.listen("slipway_changes", (id) => void told.push(id));
    const [ofDefault, ofOther] = [newId("svc"), newId("svc")];
    const look = lookWith(async () => make());
    await look(await insert({ serviceId: ofOther, isDefault: false }));
    await look(await insert({ serviceId: ofDefault, isDefault: true }));
    await until(() => told.includes(ofDefault), "the service is announced");
    assert.deepEqual(told, [ofDefault], "a group's own distribution is not the service's");
    await listener.close();
  });

  it("of previews keeps the refusal of its routes until the provider takes them", async () => {
    const id = await insert({ origin: { kind: "previews", environmentId: newId("env") } });
    const access = { gate: null };
    let refusal: CloudError | null = new CloudError("limit", "TOO_MANY_ROUTES", "update", "Too many.");
    const onUpdate = async () => {
      if (refusal !== null) throw refusal;
    };
    const look = lookWith(async () => make(), onUpdate, true, access);
    await look(id);
    // It still has the route of a removed preview.
    for (const [key, seen] of inCloud)
      inCloud.set(key, { ...seen, accessKey: accessKeyOf(access), routesKey: "former" });
    await assert.rejects(look(id), refusal);
    const errorOf = async () => (await distributions.find(db, organizationId, id))?.lastError?.code ?? null;
    assert.equal(await errorOf(), "TOO_MANY_ROUTES");
    refusal = null;
    await look(id);
    assert.equal(await errorOf(), null);
  });

  it("that was created, used and removed while its worker stood still is removed again", async () => {
    const id = await insert();
    const look = lookWith(async () => {
      // Others have finished it in the meantime; this call arrives afterwards.
      await distributions.delete(db, organizationId, id);
      return make();
    });
    await look(id);
    assert.deepEqual(
      pokes.map((one) => one.id),
      [id],
    );
    assert.equal(inCloud.size, 1);
    await lookToTheEnd(look, id);
    assert.equal(inCloud.size, 0);
  });

  it("is kept while a creation by a dead or frozen worker may still arrive", async () => {
    const id = await insert();
    const lost = new CloudError("retryable", "UNAVAILABLE", "distributions.create", "No answer.");
    await assert.rejects(lookWith(() => Promise.reject(lost))(id), lost);
    clock.advance(20_000);
    const look = lookWith(async () => make());
    await look(id);
    await distributions.release(db, organizationId, id);
    assert.deepEqual(await look(id), { runAfterMs: 0 }, "it is disabled");
    assert.deepEqual(await look(id), { runAfterMs: 40_000 });
    assert.equal(inCloud.size, 1);
    clock.advance(40_000);
    await lookToTheEnd(look, id);
    assert.equal(inCloud.size, 0);
  });

  it("is deleted at once if the outcome of every creation is known", async () => {
    const id = await insert();
    const refused = new CloudError("invalid", "INVALID_REQUEST", "distributions.create", "It is refused.");
    await assert.rejects(lookWith(() => Promise.reject(refused))(id), refused);
    const look = lookWith(async () => make());
    await look(id);
    await distributions.release(db, organizationId, id);
    await lookToTheEnd(look, id);
    assert.equal(inCloud.size, 0);
  });

  describe("whose repository moved", () => {
    const at = (place: string) => ({
      kind: "repository" as const,
      repoUrl: `https://git.example/${place}`,
      branch: "main",
      directory: "public",
    });
    const serviceId = newId("svc");
    const told: DistributionUpdate[] = [];
    beforeEach(() => void told.splice(0));

    async function makeOne(): Promise<string> {
      const id = await insert({ serviceId, origin: at("old") });
      await lookWith(async () => make())(id);
      return id;
    }
    const move = (place: string) => distributions.moveOrigin(db, organizationId, serviceId, at(place));
    const neverCreated = (): Promise<ObservedDistribution> => assert.fail("It is made already.");
    const note = async (update: DistributionUpdate): Promise<void> => void told.push(update);

    it("fetches from the new place, once, and does not change otherwise", async () => {
      const id = await makeOne();
      const [made] = inCloud.values();
      assert.ok(made);
      inCloud.set(made.id, { ...made, aliases: ["www.example.com"], certificateId: "arn:1" });
      assert.deepEqual(await move("new"), [{ id }]);
      assert.deepEqual(await move("new"), [], "it is there already");
      const look = lookWith(neverCreated, note);
      assert.deepEqual(await look(id), { runAfterMs: 0 });
      assert.equal(await look(id), "done");
      const same = { aliases: ["www.example.com"], certificateId: "arn:1", enabled: true, etag: "1" };
      assert.deepEqual(told, [{ ...same, origin: at("new") }]);
      await distributions.delete(db, organizationId, id);
    });

    it("and moved again during the update is updated again", async () => {
      const id = await makeOne();
      await move("new");
      const look = lookWith(neverCreated, async (update) => {
        if (told.length === 0) await move("newer");
        await note(update);
      });
      assert.deepEqual(await look(id), { runAfterMs: 0 });
      assert.deepEqual(await look(id), { runAfterMs: 0 });
      assert.equal(await look(id), "done");
      assert.deepEqual(
        told.map(({ origin }) => origin),
        [at("new"), at("newer")],
      );
      await distributions.delete(db, organizationId, id);
    });

    it("is not changed if the provider serves no repositories", async () => {
      const id = await makeOne();
      await move("new");
      assert.equal(await lookWith(neverCreated, note, false)(id), "done");
      assert.deepEqual(told, []);
      await distributions.delete(db, organizationId, id);
    });
  });

  it("whose late answer names another distribution removes that one too", async () => {
    const id = await insert();
    const look = lookWith(async () => {
      const late = make();
      const other = make();
      const call = { startedAt: clock.now(), startedBefore: null };
      const row = await distributions.find(db, organizationId, id);
      assert.ok(row !== null);
      await distributions.recordCreated(db, row, other, call);
      return late;
    });
    await look(id);
    assert.equal((await distributions.find(db, organizationId, id))?.providerId, "E2");
    const stray = pokes[0]?.id ?? "";
    assert.notEqual(stray, id);
    await lookToTheEnd(look, stray);
    assert.deepEqual([...inCloud.keys()], ["E2"]);
  });
});
