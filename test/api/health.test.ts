/** `GET /v1/admin/health` of a whole installation, and `slipway doctor` on its server. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { openPgliteDatabase } from "../../src/db/drivers/pglite.ts";
import { createPostgresDatabase } from "../../src/db/drivers/postgres.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { openSealing } from "../../src/sealing/open-sealing.ts";
import { CHECK_CODES, OWN_SERVER_CODES } from "../../src/start/health/health.ts";
import { CONFIG, createProject } from "../helpers/customers/scenario.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { cleanEnv } from "../helpers/processes/service-process.ts";

const ENTRY = path.join(import.meta.dirname, "../../bin/slipway.js");

type Check = {
  readonly code: string;
  readonly status: string;
  readonly says: string;
  readonly fix: string | null;
};

describe("the health of an installation", () => {
  let instance: Instance;

  before(async () => {
    instance = await startInstance({ withOtherOrganization: true });
    await createProject(instance.admin, "healthy", CONFIG);
  });
  after(() => instance.dispose());

  function env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { dataDir, databaseUrl } = instance;
    return cleanEnv({
      SLIPWAY_DATA_DIR: dataDir,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      ...more,
    });
  }
  async function doctor(variables = env()): Promise<{ code: number; checks: ReadonlyMap<string, Check> }> {
    const { code, stdout, stderr } = await new Promise<{ code: number; stdout: string; stderr: string }>(
      (resolve) => {
        execFile(process.execPath, [ENTRY, "doctor", "--json"], { env: variables }, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
        );
      },
    );
    assert.equal(stderr, "");
    const { checks } = JSON.parse(stdout) as { checks: readonly Check[] };
    return { code, checks: new Map(checks.map((check) => [check.code, check])) };
  }
  /** While the service is stopped, which has the embedded database else. */
  async function whileStopped(work: () => Promise<void>): Promise<void> {
    instance = await instance.restart(work);
  }
  async function execute(text: string): Promise<void> {
    const { dataDir, databaseUrl } = instance;
    const db =
      databaseUrl === null
        ? await openPgliteDatabase({ folder: path.join(dataDir, "database") })
        : createPostgresDatabase({ connectionString: databaseUrl, poolSize: 1, onError: () => undefined });
    try {
      await db.execute(text);
    } finally {
      await db.close();
    }
  }

  it("is shown to admins of the first organization, with all checks, and no name of a customer", async () => {
    const { status, body, text } = await instance.admin.get("/v1/admin/health");
    assert.equal(status, 200, text);
    assert.deepEqual(
      body.checks.map(({ code }: Check) => code),
      CHECK_CODES.filter((code) => !OWN_SERVER_CODES.some((one) => one === code)),
    );
    const unwell = body.checks.filter(({ status }: Check) => status !== "ok");
    assert.deepEqual(
      unwell.map(({ code }: Check) => code),
      ["BACKUP"],
      JSON.stringify(unwell),
    );
    assert.equal(body.status, "warning");
    for (const name of ["healthy", "org_", "aws_", instance.dataDir]) assert.ok(!text.includes(name), name);
  });

  it("is not shown to admins of others", async () => {
    const { status, body } = await instance.other.get("/v1/admin/health");
    assert.equal(status, 403);
    assert.equal(body.code, "OPERATOR_ONLY");
  });

  it("is examined on the server, beside the service as far as that goes", async () => {
    const { code, checks } = await doctor();
    assert.equal(code, 0);
    if (instance.databaseUrl === null) {
      assert.match(checks.get("DATABASE")?.says ?? "", /The running service has the embedded database/);
      assert.equal(checks.get("SCHEMA")?.status, "skipped");
    } else assert.equal(checks.get("SCHEMA")?.status, "ok");
    assert.equal(checks.get("SEALING_KEYS")?.status, "ok");
  });

  it("is asked of the service that has the embedded database, with any admin's key that is known there", async () => {
    // With PostgreSQL, the command looks into the database itself.
    if (instance.databaseUrl !== null) return;
    const { body } = await instance.admin.get("/v1/admin/health");
    const statuses = (checks: Iterable<Check>) =>
      Array.from(checks, ({ code, status }) => `${code} ${status}`);
    const expected = statuses(body.checks as Check[]);
    for (const known of [{ SLIPWAY_TOKEN: ADMIN_KEY }, { SLIPWAY_API_KEY: ADMIN_KEY }]) {
      const { code, checks } = await doctor(env(known));
      assert.equal(code, 0);
      assert.deepEqual(statuses(checks.values()), expected);
    }
    assert.equal(expected.filter((line) => line.endsWith(" skipped")).length <= 2, true, expected.join());
    const refused = (await doctor(env({ SLIPWAY_TOKEN: "slw_0123456789abcdefghijklmnopqrstuvw" }))).checks;
    assert.match(refused.get("DATABASE")?.says ?? "", /refuses the key .*slipway login --url http/);
    const none = (await doctor()).checks;
    assert.match(none.get("DATABASE")?.says ?? "", /Log in as an admin.*slipway login --url http/);
  });

  it("names what is wrong, says what to do, and ends with 1", async () => {
    await whileStopped(async () => {
      const stranger = path.join(instance.dataDir, "stranger");
      const none = await doctor(env({ SLIPWAY_SEALING_KEYS: stranger }));
      assert.equal(none.code, 1);
      assert.match(none.checks.get("SEALING_KEYS")?.says ?? "", /has no at-rest key/);
      assert.match(none.checks.get("SEALING_KEYS")?.fix ?? "", /SLIPWAY_SEALING_KEYS/);
      await openSealing({ folder: stranger, clock: systemClock });
      const wrong = await doctor(env({ SLIPWAY_SEALING_KEYS: stranger }));
      assert.equal(wrong.code, 1);
      assert.match(wrong.checks.get("SEALING_KEYS")?.says ?? "", /A value sealed at rest cannot be opened/);

      await execute("INSERT INTO schema_migrations (name, checksum) VALUES ('9999_later.sql', 'x')");
      const newer = await doctor();
      assert.equal(newer.code, 0);
      assert.match(newer.checks.get("SCHEMA")?.says ?? "", /does not know, up to 9999_later\.sql/);
      await execute("DELETE FROM schema_migrations WHERE name = '9999_later.sql'");

      await execute(
        `INSERT INTO reconciliations (organization_id, kind, entity_id, due_at, state)
         SELECT organization_id, 'aws-account', 'gone', now() - interval '1 hour', 'ready'
           FROM organizations ORDER BY created_at LIMIT 1`,
      );
      const idle = await doctor();
      assert.equal(idle.code, 1);
      assert.match(idle.checks.get("WORK")?.says ?? "", /has waited for 3\d{3} s/);
      assert.match(idle.checks.get("WORKERS")?.says ?? "", /no worker has claimed/);
      await execute("DELETE FROM reconciliations WHERE entity_id = 'gone'");

      const away = await doctor(env({ DATABASE_URL: "postgres://nobody:secret@127.0.0.1:9/none" }));
      assert.equal(away.code, 1);
      assert.match(away.checks.get("DATABASE")?.says ?? "", /127\.0\.0\.1:9/);
      assert.ok(![...away.checks.values()].some(({ says }) => says.includes("secret")));
    });
  });
});
