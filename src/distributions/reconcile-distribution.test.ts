import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../test/helpers/template.ts";
import type { Cloud, DistributionSeen } from "../cloud/cloud.ts";
import { type Database, statement } from "../db/database.ts";
import { openPgliteDatabase } from "../db/pglite.ts";
import { newConnectionId, newId } from "../ids.ts";
import type { EntityRef } from "../jobs/jobs.ts";
import { createOrganization } from "../organizations/commands.ts";
import { reconcileDistribution } from "./reconcile-distribution.ts";
import { distributions } from "./store.ts";

const INSERT_ACCOUNT = statement(
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

  it("that was made, used and removed while its maker stood still is removed a second time", async () => {
    const id = newId("cdn");
    const origin = { kind: "none" } as const;
    await distributions.insert(db, {
      organizationId,
      id,
      serviceId: newId("svc"),
      awsAccountId,
      isDefault: false,
      origin,
    });
    const inCloud = new Map<string, DistributionSeen>();
    const pokes: EntityRef[] = [];
    const calls = {
      async create() {
        // Others have come to the end of it meanwhile; this call arrives afterwards.
        await distributions.delete(db, organizationId, id);
        const made = {
          id: "E1",
          domainName: "d1.cdn.example",
          aliases: [],
          certificateId: null,
          enabled: true,
          deployed: true,
          etag: "1",
        };
        inCloud.set(made.id, made);
        return made;
      },
      describe: async (_account: unknown, providerId: string) => inCloud.get(providerId) ?? null,
      async update(_account: unknown, providerId: string, update: { enabled: boolean }) {
        const seen = inCloud.get(providerId);
        assert.ok(seen);
        const updated = { ...seen, enabled: update.enabled, etag: "2" };
        inCloud.set(providerId, updated);
        return updated;
      },
      async delete(_account: unknown, providerId: string) {
        inCloud.delete(providerId);
        return "deleted" as const;
      },
    };
    const reconcile = reconcileDistribution({
      db,
      cloud: { distributions: calls } as unknown as Cloud,
      jobs: { poke: async (_tx, _kind, ref) => void pokes.push(ref) },
      onChanged: async () => undefined,
    });
    const look = () => reconcile({ organizationId, id }, new AbortController().signal);
    await look();
    assert.deepEqual(pokes, [{ organizationId, id }]);
    assert.equal(inCloud.size, 1);
    for (let looks = 0; (await look()) !== "done"; looks += 1) assert.ok(looks < 10, "it comes to an end");
    assert.equal(inCloud.size, 0);
    assert.equal(await distributions.find(db, organizationId, id), null);
  });
});
