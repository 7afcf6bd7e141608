/**
 * A release replaces another one under load, as a rolling upgrade does it: its first process migrates the
 * database that the old processes work on, both serve for a while, then the old ones receive SIGTERM. No client may
 * notice.
 *
 * The next release is this one with a migration more. The old one is this one too, or a real one if
 * `SLIPWAY_TEST_OLD_RELEASE` names its folder, with an `npm ci` done in it.
 */
import assert from "node:assert/strict";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import type { ApiClient } from "../helpers/api-client.ts";
import { type Installation, startInstallation } from "../helpers/processes/installation.ts";
import { createProject, type Project } from "../helpers/customers/scenario.ts";
import type { ServiceProcess } from "../helpers/processes/service-process.ts";
import { createEmptyPostgres, type TestDatabase } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const OLD_RELEASE = process.env["SLIPWAY_TEST_OLD_RELEASE"] ?? ROOT;
const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];

const MIGRATION = "9999_next_release.sql";
/** One of each kind of change that a release may make (docs/how-to/write-a-migration.md), on tables that are in use. */
const MIGRATION_SQL = `
CREATE TABLE next_release (organization_id text NOT NULL REFERENCES organizations, id text PRIMARY KEY);
ALTER TABLE aws_accounts ADD COLUMN next_release text;
ALTER TABLE env_variables ADD COLUMN next_release integer NOT NULL DEFAULT 7;
ALTER TABLE reconciliations ADD COLUMN next_release timestamptz;
CREATE INDEX env_variables_next_release ON env_variables (organization_id, next_release);
`;
const CLIENTS = 4;

describe("an upgrade", { skip: adminUrl === undefined && "part of npm run test:postgres" }, () => {
  let database: TestDatabase;
  let installation: Installation;
  let old: readonly ServiceProcess[];
  let admin: ApiClient;
  let project: Project;

  before(async () => {
    assert.ok(adminUrl !== undefined);
    database = await createEmptyPostgres(adminUrl);
    installation = await startInstallation("upgrade", database);
    const api = await installation.startRole("api", OLD_RELEASE);
    old = [api, await installation.startRole("worker", OLD_RELEASE)];
    installation.balancer.use([api.listensAt]);
    ({ admin } = installation);
    project = await createProject(admin, "upgraded");
  });
  after(async () => {
    await installation.stop();
  });

  it("under load drops no request and no job, while old and new processes work on the migrated database", async () => {
    const over = new AbortController();
    const statuses: number[] = [];
    const runIds: string[] = [];
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let count = 1; !over.signal.aborted; count += 1) {
        statuses.push((await admin.get(`/v1/environments/${project.environmentId}/env-variables`)).status);
        const name = `V_${client}_${count}`;
        const written = await admin.post(`/v1/environments/${project.environmentId}/env-variables`, {
          plainText: { [name]: "plain" },
          // A few, so that the account's pace does not have the run wait for minutes.
          ...(count % 10 === 1 ? { parameterStore: { [`${name}_SECRET`]: "secret" } } : {}),
        });
        statuses.push(written.status);
        if (written.status === 202) runIds.push(written.body.runId);
      }
    });
    const more = (count: number, what: string) => {
      const before = statuses.length;
      return until(() => statuses.length >= before + count, what, 60_000);
    };
    await more(24, "the old release serves");

    const next = await copyRelease(path.join(installation.folder, "next"));
    const api = await installation.startRole("api", next);
    assert.ok((await appliedMigrations()).includes(MIGRATION));
    await more(24, "the old release serves from the migrated database");
    installation.balancer.use([old[0]?.listensAt ?? "", api.listensAt]);
    await installation.startRole("worker", next);
    await more(24, "both releases serve");

    for (const { process } of old) process.kill("SIGTERM");
    assert.deepEqual(await Promise.all(old.map(({ ended }) => ended)), [0, 0]);
    await more(24, "the new release serves");
    over.abort();
    await Promise.all(clients);

    assert.deepEqual(new Set(statuses), new Set([200, 202]));
    assert.ok(runIds.length >= CLIENTS);
    for (const runId of runIds) {
      const run = await until(
        async () => {
          const { body } = await admin.get(
            `/v1/environments/${project.environmentId}/env-variables/status?runId=${runId}`,
          );
          return body.isFinished === true && body;
        },
        `run ${runId} ends`,
        60_000,
      );
      assert.deepEqual(run.failedEnvVariables, {});
    }
    const { body } = await admin.get("/sandbox/state");
    const { parameters } = body.accounts[0];
    assert.equal(parameters.length, runIds.length);
    for (const { versionCount } of parameters) assert.equal(versionCount, 1);
  });

  it("is taken back by starting the old release on the newer schema", async () => {
    const api = await installation.startRole("api", OLD_RELEASE);
    assert.match(api.stdout(), /A newer release has migrated the database/);
    installation.balancer.use([api.listensAt]);
    await installation.startRole("worker", OLD_RELEASE);
    const path = `/v1/environments/${project.environmentId}/env-variables`;
    const { body } = await admin.post(path, { parameterStore: { BACK: "again" } });
    await until(
      async () => (await admin.get(`${path}/status?runId=${body.runId}`)).body.isFinished,
      "the old release stores a value",
      60_000,
    );
  });

  it("is not taken back beyond what the new release allows: the old one says so in a sentence", async () => {
    await query(
      `UPDATE installation_facts SET fact = '{"migration": "${MIGRATION}", "release": "9.0.0"}' WHERE name = 'oldest'`,
    );
    await assert.rejects(
      installation.startRole("api", OLD_RELEASE),
      new RegExp(
        `migrated by Slipway 9\\.0\\.0, and Slipway \\S+ is too old for its schema \\(${MIGRATION}\\)`,
      ),
    );
  });

  async function appliedMigrations(): Promise<readonly unknown[]> {
    return (await query("SELECT name FROM schema_migrations")).map(({ name }) => name);
  }
  async function query(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(text);
    await client.end();
    return rows;
  }
});

/** This release with one more migration, in a separate folder. */
async function copyRelease(folder: string): Promise<string> {
  await mkdir(folder);
  for (const part of ["src", "sandbox", "bin", "console", "sdk", "cli", "package.json"])
    await cp(path.join(ROOT, part), path.join(folder, part), { recursive: true });
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  await writeFile(path.join(folder, "src/db/migrations", MIGRATION), MIGRATION_SQL);
  return folder;
}
