import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type Actor, FULL_ACCESS } from "../../src/lib/actor.ts";
import { type Database, readStatement, writeStatement } from "../../src/db/database.ts";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { PRUNE_BATCH } from "../../src/db/prune.ts";
import { pruneWorkloadTokens } from "../../src/features/workloads/commands.ts";
import { pruneDeliveries } from "../../src/features/git-hooks/commands.ts";
import { pruneIdempotencyKeys } from "../../src/http/requests/idempotency.ts";
import { pruneAudit, recordAudit } from "../../src/features/audit/record-audit.ts";
import { pruneVersions } from "../../src/features/variables/commands.ts";
import { createOrganization } from "../../src/features/organizations/commands.ts";
import { copyPgliteTemplate, createPostgresCopy, makeTempDir } from "../helpers/template.ts";

const AGE_AUDIT = writeStatement(
  "test_age_audit",
  `UPDATE audit_entries SET at = $2 WHERE organization_id = $1 AND action = 'test.old'`,
);
const LIST_AUDIT = readStatement<{ action: string }>(
  "test_list_audit",
  "SELECT action FROM audit_entries WHERE organization_id = $1 AND action LIKE 'test.%' ORDER BY action",
);
const FILL_ANSWERS = writeStatement(
  "test_fill_answers",
  `INSERT INTO idempotency_keys (organization_id, key, fingerprint, answer, created_at)
   SELECT $1, $2 || i, 'fingerprint', '', now() - $3::float8 * interval '1 hour' FROM generate_series(1, $4::int) i`,
);
const COUNT_ANSWERS = readStatement<{ count: number }>(
  "test_count_answers",
  "SELECT count(key)::int AS count FROM idempotency_keys WHERE organization_id = $1",
);
const INSERT_INTEGRATION = writeStatement(
  "test_insert_hook_integration",
  `INSERT INTO git_integrations (organization_id, id, provider, host, sealed_token) VALUES ($1, 'git_1', 'provider_a', '', '')`,
);
const FILL_DELIVERIES = writeStatement(
  "test_fill_deliveries",
  `INSERT INTO git_hook_deliveries (organization_id, git_integration_id, delivery_id, received_at)
   VALUES ($1, 'git_1', 'old', now() - interval '91 days'), ($1, 'git_1', 'young', now() - interval '89 days')`,
);
const LIST_DELIVERIES = readStatement<{ id: string }>(
  "test_list_deliveries",
  "SELECT delivery_id AS id FROM git_hook_deliveries WHERE organization_id = $1",
);

const FILL_RECEIPTS = writeStatement(
  "test_fill_receipts",
  `INSERT INTO git_hook_receipts (organization_id, id, git_integration_id, repository_url, outcome, received_at)
   VALUES ($1, 'ghd_old', 'git_1', 'u', 'NO_PUSH', now() - interval '31 days'),
          ($1, 'ghd_young', 'git_1', 'u', 'NO_PUSH', now() - interval '29 days')`,
);
const LIST_RECEIPTS = readStatement<{ id: string }>(
  "test_list_receipts",
  "SELECT id FROM git_hook_receipts WHERE organization_id = $1",
);
const FILL_TOKENS = writeStatement(
  "test_fill_workload_tokens",
  `WITH trust AS (
     INSERT INTO workload_trusts (organization_id, id, user_id, name, issuer, audience, conditions, scopes)
     SELECT $1, 'trust_1', id, 'n', 'i', 'a', '{}', '{read}' FROM users WHERE organization_id = $1 LIMIT 1
     RETURNING organization_id, id)
   INSERT INTO workload_tokens (organization_id, id, trust_id, hash, subject, expires_at)
   SELECT organization_id, 'wtok_' || word, id, sha256(word::bytea), 's', now() + minutes * interval '1 minute'
     FROM trust, (VALUES ('over', -1), ('valid', 1)) AS given(word, minutes)`,
);
const LIST_TOKENS = readStatement<{ id: string }>(
  "test_list_workload_tokens",
  "SELECT id FROM workload_tokens WHERE organization_id = $1",
);

/** Writes the given versions of each name, with their age in days. A version that ends with `-` is a deletion. */
const FILL_VERSIONS = writeStatement(
  "test_fill_versions",
  `INSERT INTO env_variable_versions (organization_id, scope_id, name, generation, version, at, kind, plain_value)
   SELECT $1, 'env_1', name, generation, label, now() - days * interval '1 day',
          CASE WHEN label NOT LIKE '%-' THEN 'plainText' END, CASE WHEN label NOT LIKE '%-' THEN 'x' END
     FROM unnest($2::text[], $3::int[], $4::text[], $5::int[]) AS given(name, generation, label, days)`,
);
const LIST_VERSIONS = readStatement<{ version: string }>(
  "test_list_versions",
  "SELECT version FROM env_variable_versions WHERE organization_id = $1 ORDER BY version",
);

describe("data that is no longer kept", () => {
  let db: Database;
  let cleanUp: () => Promise<void>;
  let organizationId: string;
  before(async () => {
    const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
    if (adminUrl === undefined) {
      const folder = await makeTempDir("pruning");
      await copyPgliteTemplate(path.join(folder, "database"));
      db = await openPgliteDatabase({ folder: path.join(folder, "database") });
      cleanUp = () => rm(folder, { recursive: true, force: true });
    } else {
      const copy = await createPostgresCopy(adminUrl);
      db = createPostgresDatabase({ connectionString: copy.url, poolSize: 4, onError: () => undefined });
      cleanUp = () => copy.drop();
    }
    ({ organizationId } = await db.transaction((tx) => createOrganization(tx, "Test", null)));
  });
  after(async () => {
    await db.close();
    await cleanUp();
  });

  it("of audit entries is what is older than the configured days", async () => {
    const credential = { kind: "api-key", id: "k" } as const;
    const actor: Actor = {
      organizationId,
      userId: "u",
      credential,
      role: "admin",
      access: FULL_ACCESS,
      requestId: "r",
    };
    await db.transaction(async (tx) => {
      recordAudit(tx, actor, "test.old", "old");
      recordAudit(tx, actor, "test.young", "young");
    });
    await db.query(AGE_AUDIT, [organizationId, new Date(Date.now() - 31 * 86_400_000)]);
    assert.equal(await pruneAudit(db, 32, new Date()), false);
    assert.equal((await db.query(LIST_AUDIT, [organizationId])).length, 2);
    assert.equal(await pruneAudit(db, 30, new Date()), false);
    assert.deepEqual(await db.query(LIST_AUDIT, [organizationId]), [{ action: "test.young" }]);
  });

  it("of answers to idempotent requests is what is older than a day, in batches", async () => {
    await db.query(FILL_ANSWERS, [organizationId, "old", 25, PRUNE_BATCH + 1]);
    await db.query(FILL_ANSWERS, [organizationId, "young", 23, 2]);
    assert.equal(await pruneIdempotencyKeys(db), true, "there may be more after a full batch");
    assert.deepEqual(await db.query(COUNT_ANSWERS, [organizationId]), [{ count: 3 }]);
    assert.equal(await pruneIdempotencyKeys(db), false);
    assert.deepEqual(await db.query(COUNT_ANSWERS, [organizationId]), [{ count: 2 }]);
  });

  it("is removed once, whichever worker comes first", async () => {
    await db.query(FILL_ANSWERS, [organizationId, "shared", 25, 500]);
    await Promise.all([pruneIdempotencyKeys(db), pruneIdempotencyKeys(db), pruneIdempotencyKeys(db)]);
    assert.deepEqual(await db.query(COUNT_ANSWERS, [organizationId]), [{ count: 2 }]);
  });

  it("of variables is what was replaced before the configured days, and then what they ended with", async () => {
    const versions = [
      ["STABLE", 1, "stable", 900],
      ["REPLACED", 1, "replaced-1", 900],
      ["REPLACED", 2, "replaced-2", 500],
      ["REPLACED", 3, "replaced-3", 10],
      ["GONE", 1, "gone-1", 900],
      ["GONE", 2, "gone-2-", 500],
      ["LATELY", 1, "lately-1", 900],
      ["LATELY", 2, "lately-2-", 10],
    ] as const;
    const column = <K extends 0 | 1 | 2 | 3>(index: K) => versions.map((row) => row[index]);
    await db.query(FILL_VERSIONS, [organizationId, column(0), column(1), column(2), column(3)]);
    const left = async () => (await db.query(LIST_VERSIONS, [organizationId])).map(({ version }) => version);
    assert.equal(await pruneVersions(db, 400, new Date()), false);
    const rest = ["lately-1", "lately-2-", "replaced-2", "replaced-3", "stable"];
    assert.deepEqual(await left(), ["gone-2-", ...rest], "a deletion goes after what it ended");
    assert.equal(await pruneVersions(db, 400, new Date()), false);
    assert.deepEqual(await left(), rest);
  });

  it("of deliveries is what no host repeats any longer", async () => {
    await db.query(INSERT_INTEGRATION, [organizationId]);
    await db.query(FILL_DELIVERIES, [organizationId]);
    await db.query(FILL_RECEIPTS, [organizationId]);
    assert.equal(await pruneDeliveries(db), false);
    assert.deepEqual(await db.query(LIST_DELIVERIES, [organizationId]), [{ id: "young" }]);
    assert.deepEqual(await db.query(LIST_RECEIPTS, [organizationId]), [{ id: "ghd_young" }]);
  });

  it("of tokens of workloads is what is still valid", async () => {
    await db.query(FILL_TOKENS, [organizationId]);
    assert.equal(await pruneWorkloadTokens(db), false);
    assert.deepEqual(await db.query(LIST_TOKENS, [organizationId]), [{ id: "wtok_valid" }]);
  });
});
