import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { copyPgliteTemplate, makeTempDir } from "../../../test/helpers/template.ts";
import { type Database, readStatement, writeStatement } from "../../db/database.ts";
import { openPgliteDatabase } from "../../db/drivers/pglite.ts";
import { operatorOf } from "../audit/record-audit.ts";
import { createOrganization } from "../organizations/commands.ts";
import { createGroup, deleteDomain } from "../custom-domains/commands.ts";
import type { Domain } from "../custom-domains/custom-domain.ts";
import { insertProject, insertService } from "../custom-domains/reconcile/testing/rows.ts";
import { pruneConnects } from "./commands.ts";
import { domainConnects } from "./store.ts";

const AGE = writeStatement(
  "test_domain_connects_age",
  "UPDATE domain_connects SET expires_at = now() - interval '1 second' WHERE organization_id = $1 AND domain_id = $2",
);
const LIST = readStatement<{ domainId: string }>(
  "test_domain_connects_list",
  `SELECT domain_id AS "domainId" FROM domain_connects WHERE organization_id = $1 ORDER BY domain_id`,
);

describe("ways to DNS providers", () => {
  let folder: string;
  let db: Database;
  let organizationId: string;
  let groupId: string;
  let made: readonly Domain[];
  const jobs = { enqueue: () => Promise.resolve() };

  before(async () => {
    folder = await makeTempDir("connects");
    await copyPgliteTemplate(path.join(folder, "database"));
    db = await openPgliteDatabase({ folder: path.join(folder, "database") });
    ({ organizationId } = await db.transaction((tx) => createOrganization(tx, "Test", null)));
    const { projectId } = await insertProject(db, organizationId);
    const serviceId = await insertService(db, organizationId, projectId);
    const names = ["a", "b", "c"].map(
      (name) => ({ name: `${name}.example.com`, type: "SUBDOMAIN" }) as const,
    );
    const wanted = { names, useDefaultCdn: false, name: null };
    const { group, created } = await db.transaction((tx) =>
      createGroup(tx, jobs, operatorOf(organizationId), serviceId, wanted),
    );
    groupId = group.id;
    made = created;
  });
  after(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  const wayOf = (domainId: string, startedBy = "user_1") => ({
    organizationId,
    domainId,
    startedBy,
    stateHash: Buffer.from(`state of ${domainId}`),
  });
  const put = (domainId: string, startedBy?: string) =>
    db.transaction((tx) =>
      domainConnects.put(tx, { ...wayOf(domainId, startedBy), providerName: "DNS Inc.", seconds: 60 }),
    );
  const take = (way: ReturnType<typeof wayOf>) => db.transaction((tx) => domainConnects.take(tx, way));
  const left = async () => (await db.query(LIST, [organizationId])).map(({ domainId }) => domainId);

  it("are taken back once, in time, and by who began", async () => {
    const [one, other] = made.map(({ id }) => id);
    assert.ok(one !== undefined && other !== undefined);
    await put(one);
    await put(other);
    await db.query(AGE, [organizationId, other]);
    assert.equal(await take(wayOf(one, "user_2")), null);
    assert.equal(await take({ ...wayOf(one), stateHash: Buffer.from("another state") }), null);
    assert.deepEqual(await take(wayOf(one)), { providerName: "DNS Inc." });
    assert.equal(await take(wayOf(one)), null);
    assert.equal(await take(wayOf(other)), null);
  });

  it("are removed when they have expired, and with their domain", async () => {
    const [one, other, last] = made.map(({ id }) => id);
    assert.ok(one !== undefined && other !== undefined && last !== undefined);
    for (const id of [one, other, last]) await put(id);
    await db.query(AGE, [organizationId, other]);
    assert.equal(await pruneConnects(db), false);
    assert.deepEqual(await left(), [one, last].toSorted());
    await db.transaction((tx) => deleteDomain(tx, jobs, operatorOf(organizationId), groupId, last));
    assert.deepEqual(await left(), [one]);
  });
});
