/**
 * A release replaces another one under load, as a rolling upgrade does it: its first process migrates the
 * database that the old processes work on, both serve for a while, then the old ones are told to end. Nobody
 * may notice.
 *
 * The next release is this one with a migration more. The old one is this one too, or a real one where
 * `SLIPWAY_TEST_OLD_RELEASE` names its folder, with an `npm ci` done in it.
 */
import assert from "node:assert/strict";
import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { type LoadBalancer, startLoadBalancer } from "../helpers/load-balancer.ts";
import { createProject, type Project } from "../helpers/scenario.ts";
import { type ServiceProcess, startProcess, startSandboxProcess } from "../helpers/service-process.ts";
import { createEmptyPostgres, makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const OLD_RELEASE = process.env["SLIPWAY_TEST_OLD_RELEASE"] ?? ROOT;
const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];

const MIGRATION = "9999_next_release.sql";
/** One of each kind of change that a release may make (docs/migrations.md), on tables that are in use. */
const MIGRATION_SQL = `
CREATE TABLE next_release (organization_id text NOT NULL REFERENCES organizations, id text PRIMARY KEY);
ALTER TABLE aws_accounts ADD COLUMN next_release text;
ALTER TABLE env_variables ADD COLUMN next_release integer NOT NULL DEFAULT 7;
ALTER TABLE reconciliations ADD COLUMN next_release timestamptz;
CREATE INDEX env_variables_next_release ON env_variables (organization_id, next_release);
`;
const CLIENTS = 4;

describe("an upgrade", { skip: adminUrl === undefined && "part of npm run test:postgres" }, () => {
  let folder: string;
  let database: Awaited<ReturnType<typeof createEmptyPostgres>>;
  let balancer: LoadBalancer;
  let sandbox: ServiceProcess;
  let old: readonly ServiceProcess[];
  let admin: ApiClient;
  let project: Project;
  const started: ServiceProcess[] = [];

  const env = (name: string) => ({
    SLIPWAY_DATA_DIR: path.join(folder, name),
    SLIPWAY_SEALING_KEYS: path.join(folder, "keys"),
    SLIPWAY_PUBLIC_URL: balancer.url,
    SLIPWAY_API_KEY: ADMIN_KEY,
    SLIPWAY_SANDBOX_SECRET: "a-secret-that-all-share",
    DATABASE_URL: database.url,
  });
  async function startRole(release: string, role: "api" | "worker"): Promise<ServiceProcess> {
    const name = `${role}-${started.length}`;
    const shared = { SLIPWAY_SANDBOX_URL: sandbox.url, SLIPWAY_ROLE: role };
    const service = await startProcess({ ...env(name), ...shared }, release);
    started.push(service);
    return service;
  }

  before(async () => {
    assert.ok(adminUrl !== undefined);
    folder = await makeTempDir("upgrade");
    database = await createEmptyPostgres(adminUrl);
    balancer = await startLoadBalancer();
    sandbox = await startSandboxProcess({ ...env("sandbox"), SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0" });
    started.push(sandbox);
    const api = await startRole(OLD_RELEASE, "api");
    old = [api, await startRole(OLD_RELEASE, "worker")];
    balancer.use([api.listensAt]);
    admin = createApiClient(balancer.url, ADMIN_KEY);
    project = await createProject(admin, "upgraded");
  });
  after(async () => {
    for (const { process } of started) process.kill("SIGKILL");
    await Promise.all(started.map(({ ended }) => ended));
    await balancer.stop();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
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

    const next = await copyRelease(path.join(folder, "next"));
    const api = await startRole(next, "api");
    assert.ok((await appliedMigrations()).includes(MIGRATION));
    await more(24, "the old release serves from the migrated database");
    balancer.use([old[0]?.listensAt ?? "", api.listensAt]);
    await startRole(next, "worker");
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

  it("back is refused in a sentence: the old release does not know what the new one may have written", async () => {
    await assert.rejects(startRole(OLD_RELEASE, "api"), new RegExp(`${MIGRATION}.*newer one`));
  });

  async function appliedMigrations(): Promise<readonly string[]> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>("SELECT name FROM schema_migrations");
    await client.end();
    return rows.map(({ name }) => name);
  }
});

/** This release with a migration more, in a folder of its own. */
async function copyRelease(folder: string): Promise<string> {
  await mkdir(folder);
  for (const part of ["src", "bin", "console", "package.json"])
    await cp(path.join(ROOT, part), path.join(folder, part), { recursive: true });
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  await writeFile(path.join(folder, "src/db/migrations", MIGRATION), MIGRATION_SQL);
  return folder;
}
