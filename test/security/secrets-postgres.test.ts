import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { createApiClient } from "../helpers/api-client.ts";
import { type PostgresCluster, startPostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import { makeTempDir } from "../helpers/template.ts";
import { type CredentialStory, startCredentialStory } from "./credential-story.ts";
import { type LoggedProcess, startLogged } from "./logged-process.ts";
import { createCanaries, findNeedles, needlesOf, searchFolder } from "./needles.ts";
import { type RecordingClient, recordAnswers } from "./recording-client.ts";
import {
  beginStory,
  finishRun,
  leaveWaiting,
  playCloudFailures,
  playRequests,
  sendSecrets,
  type StoryParts,
  variablesPath,
} from "./secret-story.ts";

const needsPostgres = process.env["SLIPWAY_TEST_POSTGRES"] === undefined && "part of npm run test:postgres";

/** The log says all it can, bound parameters included, and nothing is swept away. */
const TELLTALE = {
  fsync: "off",
  log_statement: "all",
  log_min_duration_statement: 0,
  log_parameter_max_length: -1,
  log_parameter_max_length_on_error: -1,
  log_error_verbosity: "verbose",
  wal_level: "replica",
  wal_keep_size: "512MB",
  shared_buffers: "64MB",
};

describe("a secret on PostgreSQL", { skip: needsPostgres }, () => {
  const canaries = createCanaries();
  const adminKey = `admin-${randomUUID()}`;
  const needles = [...canaries.texts, adminKey].flatMap(needlesOf);
  const clients: RecordingClient[] = [];
  const processes: LoggedProcess[] = [];
  let cluster: PostgresCluster;
  let dataDir: string;
  let backupDir: string;
  let parts: StoryParts;
  let credentials: CredentialStory;
  let waitingRunId: string;

  async function start(databaseUrl: string): Promise<RecordingClient> {
    const started = await startLogged({
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: adminKey,
      DATABASE_URL: databaseUrl,
      ...credentials.env,
    });
    processes.push(started);
    const client = recordAnswers(createApiClient(started.url, adminKey), (path) =>
      path.startsWith("/sandbox/"),
    );
    clients.push(client);
    return client;
  }

  async function leaks(): Promise<string[]> {
    cluster.run("psql", [cluster.url, "-qc", "CHECKPOINT"]);
    const hits: string[] = [];
    for (const [folder, except] of [
      [cluster.folder, []],
      [dataDir, ["sandbox"]],
    ] as const) {
      const found = await searchFolder(folder, needles, except);
      hits.push(...found.hits.map(({ place, form }) => `${place}: ${form}`));
    }
    const dump = cluster.run("pg_dumpall", ["-d", cluster.url]);
    assert.ok(dump.length > 50_000 && dump.includes("COPY public.env_variable_run_items"));
    const texts: [string, Buffer][] = [
      ["dump", dump],
      ["output", Buffer.concat(processes.map(({ output }) => output()))],
      ["answers", Buffer.from(clients.flatMap(({ answers }) => answers).join("\n"))],
    ];
    for (const [place, bytes] of texts)
      hits.push(...findNeedles(bytes, needles).map((form) => `${place}: ${form}`));
    return hits;
  }

  before(async () => {
    cluster = await startPostgresCluster(TELLTALE);
    credentials = await startCredentialStory();
    dataDir = await makeTempDir("secrets");
    backupDir = await makeTempDir("backup");
    parts = await beginStory(await start(cluster.url), canaries);
  });
  after(async () => {
    await processes.at(-1)?.kill("SIGKILL");
    cluster.dispose();
    await credentials.stop();
    for (const folder of [dataDir, backupDir]) await rm(folder, { recursive: true, force: true });
  });

  it("is sealed everywhere the server writes: tables, write-ahead log, dump, and its log with all parameters", async () => {
    await playRequests(parts);
    await playCloudFailures(parts);
    const secrets = await credentials.play(parts.client);
    needles.push(...secrets.flatMap(needlesOf));
    const log = cluster.logged();
    assert.ok(log.includes("INSERT INTO env_variable_run_items") && log.includes("parameters: $1 = "));
    assert.deepEqual(await leaks(), []);
  });

  it("stays sealed when server and service are killed while values wait", async () => {
    waitingRunId = await leaveWaiting(parts, "killed");
    await processes.at(-1)?.kill("SIGKILL");
    cluster.stopImmediately();
    cluster.start();
    assert.deepEqual(await leaks(), []);
  });

  it("opens after a crash, as long as its key exists", async () => {
    // The base backup is taken while the sealed values are in the tables.
    const target = path.join(cluster.folder, "backup");
    cluster.run("pg_basebackup", ["-d", cluster.url, "-D", target, "-c", "fast"]);
    parts = { ...parts, client: await start(cluster.url) };
    const run = await finishRun(parts, waitingRunId);
    assert.deepEqual(Object.keys(run.storedEnvVariables).sort(), ["WAITING_P", "WAITING_S"]);
  });

  it("cannot be opened from a base backup with write-ahead log once the keys are destroyed", async () => {
    // What came after the base backup is only in the log: one more run with its values.
    const laterRunId = await leaveWaiting(parts, "later");
    await processes.at(-1)?.kill("SIGKILL");
    cluster.run("psql", [cluster.url, "-qc", "SELECT pg_switch_wal()"]);
    const base = path.join(backupDir, "base");
    execFileSync("cp", ["-a", path.join(cluster.folder, "backup"), base]);
    execFileSync("cp", ["-a", path.join(cluster.dataFolder, "pg_wal"), base]);
    cluster.dispose();

    const keys = await readdir(path.join(dataDir, "keys"));
    const epochKeys = keys.filter((name) => /^\d.*\.key$/.test(name));
    assert.ok(epochKeys.length > 0, keys.join(" "));
    for (const name of epochKeys) await rm(path.join(dataDir, "keys", name));

    cluster = await startPostgresCluster(TELLTALE, base);
    const found = cluster.run("psql", [
      cluster.url,
      "-Atc",
      `SELECT count(*) FROM env_variable_run_items WHERE run_id = '${laterRunId}' AND sealed IS NOT NULL`,
    ]);
    assert.equal(
      found.toString().trim(),
      "2",
      "the restored database has the sealed values of the later run",
    );
    assert.deepEqual(await leaks(), []);

    parts = { ...parts, client: await start(cluster.url) };
    const run = await finishRun(parts, laterRunId);
    assert.deepEqual(run.storedEnvVariables, {});
    const failures = Object.values<{ code: string }>(run.failedEnvVariables);
    assert.deepEqual(new Set(failures.map(({ code }) => code)), new Set(["KEY_DESTROYED"]));
    assert.deepEqual(await leaks(), []);
    // With a new key the same names take values again.
    const resent = await finishRun(parts, await sendSecrets(parts, "resent", ["WAITING"]));
    assert.deepEqual(resent.failedEnvVariables, {});
  });

  it("would have been found: a planted plain variable is", async () => {
    const planted = await parts.client.post(variablesPath(parts), {
      plainText: { PLANTED: canaries.make("planted") },
    });
    assert.equal(planted.status, 200);
    await parts.client.get(variablesPath(parts));
    const hits = await leaks();
    for (const place of ["log: plain", "dump: plain", "answers: plain"])
      assert.ok(hits.includes(place), place);
    assert.ok(
      hits.some((hit) => hit.startsWith("data/base/")),
      "found in a table's file",
    );
    assert.ok(
      hits.some((hit) => hit.startsWith("data/pg_wal/")),
      "found in the write-ahead log",
    );
  });
});
