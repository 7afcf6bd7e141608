/**
 * What a worker asks PostgreSQL for a group, from the request to the records that are shown, by PostgreSQL's own count
 * (pg_stat_statements). The worker has a user of its own, so that nothing else is counted.
 */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { freePort } from "../helpers/free-port.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { startPostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import {
  type ServiceProcess,
  startProcess,
  startSandboxProcess,
} from "../helpers/processes/service-process.ts";
import { makeTempDir } from "../helpers/template.ts";
import { until } from "../helpers/until.ts";

const isPart = process.env["SLIPWAY_TEST_POSTGRES"] !== undefined;
const WORKER = "worker";
const GROUPS = 40;
const MOST = 28;
const SHOWN = "AWAITING_VERIFICATION_RECORDS_TO_BE_SET";

describe("the statements of a worker", { skip: !isPart && "part of npm run test:postgres" }, () => {
  const undo: (() => unknown)[] = [];
  let database: Client;
  let client: ApiClient;
  let worker: ServiceProcess;
  let serviceId = "";
  let made = 0;

  before(async () => {
    const cluster = await startPostgresCluster({ shared_preload_libraries: "pg_stat_statements" });
    undo.push(() => cluster.dispose());
    database = new Client({ connectionString: cluster.url });
    await database.connect();
    undo.push(() => database.end());
    await database.query(`CREATE EXTENSION pg_stat_statements; CREATE ROLE ${WORKER} SUPERUSER LOGIN`);
    const dataDir = await makeTempDir("statements");
    undo.push(() => rm(dataDir, { recursive: true, force: true }));
    const port = String(await freePort());
    const shared = {
      DATABASE_URL: cluster.url,
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: ADMIN_KEY,
      SLIPWAY_SANDBOX_SECRET: "a-secret-of-the-sandbox",
      SLIPWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    };
    const sandbox = await startSandboxProcess({ ...shared, SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0" });
    undo.push(() => sandbox.process.kill("SIGKILL"));
    const placed = { ...shared, SLIPWAY_SANDBOX_URL: sandbox.url };
    const api = await startProcess({ ...placed, PORT: port, SLIPWAY_ROLE: "api" });
    undo.push(() => api.process.kill("SIGKILL"));
    const ofWorker = cluster.url.replace("//postgres@", `//${WORKER}@`);
    worker = await startProcess({ ...placed, DATABASE_URL: ofWorker, SLIPWAY_ROLE: "worker" });
    undo.push(() => worker.process.kill("SIGKILL"));
    client = createApiClient(api.listensAt, ADMIN_KEY);
    const { services } = await createProject(client, "statements");
    serviceId = services["web"] ?? "";
    await createGroups(1);
    await untilShown();
  });
  after(async () => {
    for (const step of undo.toReversed()) await step();
  });

  async function createGroups(count: number): Promise<void> {
    const names = Array.from({ length: count }, () => `www.group-${(made += 1)}.example.com`);
    await Promise.all(
      names.map(async (name) => {
        const group = { domains: [name], useDefaultCdn: false };
        const path = `/v1/services/${serviceId}/domain-certificate-groups`;
        const { status, text } = await client.post(path, group);
        assert.equal(status, 201, text);
      }),
    );
  }

  async function untilShown(): Promise<void> {
    await until(
      async () => {
        const shown = await database.query("SELECT FROM domains WHERE status = $1", [SHOWN]);
        const ahead = await database.query("SELECT FROM reconciliations WHERE state <> 'waiting'");
        return shown.rowCount === made && ahead.rowCount === 0;
      },
      "all show their records",
      180_000,
    );
  }

  /** @returns how often the worker ran each statement since the last reset */
  async function countStatements(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await database.query<{ text: string; calls: number }>(
      `SELECT s.query AS text, sum(s.calls)::int AS calls FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid
        WHERE r.rolname IN ('${WORKER}', '${WORKER}_tenant') GROUP BY 1 ORDER BY 2 DESC`,
    );
    return new Map(rows.map(({ text, calls }) => [text, calls]));
  }

  const reset = () => database.query("SELECT pg_stat_statements_reset()");
  /** The last one sets the role and the organization of a read (`scoped-read.ts`), as SET LOCAL does of a transaction. */
  const isOfTransaction = (text: string): boolean =>
    /^(?:BEGIN|COMMIT|SET LOCAL|PREPARE tenant_scope)/.test(text);
  /**
   * Depends on how long the work takes and on how much of it a worker finds at once, so on how busy the machine is: the
   * search for work and its notices, holding on to it, the way of events to the log, and the looks at DNS records.
   */
  const isByTime = (text: string): boolean =>
    [
      /^SELECT \* FROM \(\(SELECT r\.organization_id/,
      /^SELECT pg_notify\(/,
      /^SELECT (?:EXISTS \(SELECT \$?\d+ FROM reconciliations|organization_id AS "organizationId", kind, entity_id AS id, claim)/,
      /^SELECT (?:DISTINCT o\.organization_id|count\(organization_id\))|event_heads|^WITH (?:taken|enqueued) AS/,
      /dns_lookers|^UPDATE dns_records r SET (?:look_at|last_check_at)|^SELECT r\.organization_id AS "organizationId", r\.id, r\.domain_id/,
    ].some((one) => one.test(text));

  it(`are at most ${MOST} for each group of many, besides transactions and what runs by time`, async () => {
    await reset();
    // The statements of an idle worker depend only on the time.
    await until(async () => (await countStatements()).size > 3, "it has looked for work");
    const whenIdle = await countStatements();

    // On a busy machine less is done at a time: one of six rounds counts.
    for (let round = 1; ; round += 1) {
      // All are there when it begins, however slow the machine is.
      worker.process.kill("SIGSTOP");
      await createGroups(GROUPS);
      await reset();
      worker.process.kill("SIGCONT");
      await untilShown();
      const counted = [...(await countStatements())].filter(
        ([text]) => !whenIdle.has(text) && !isOfTransaction(text) && !isByTime(text),
      );
      const each = counted.reduce((sum, [, calls]) => sum + calls, 0) / GROUPS;
      const list = counted.map(
        ([text, calls]) => `${(calls / GROUPS).toFixed(2)} × ${text.replaceAll(/\s+/g, " ").slice(0, 90)}`,
      );
      assert.ok(counted.length > 10, list.join("\n"));
      if (each <= MOST) break;
      assert.ok(round < 6, `${each.toFixed(1)} statements for a group:\n${list.join("\n")}`);
    }
  });
});
