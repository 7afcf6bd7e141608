/**
 * Slipway as an operator scales it: PostgreSQL, the sandbox cloud, two APIs and some workers, each a process
 * that can be killed, with a proxy before every connection that an effect goes through. Or all in one
 * process on the embedded database, with the sandbox beside it.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { freePort } from "../helpers/free-port.ts";
import { cleanEnv } from "../helpers/processes/service-process.ts";
import { type PostgresCluster, startPostgresCluster } from "../helpers/processes/postgres-cluster.ts";
import { createPostgresCopy } from "../helpers/template.ts";
import { type CloudWatcher, startCloudProxy } from "./deaths/cloud-proxy.ts";
import { type DatabaseWatcher, startDatabaseProxy } from "./deaths/database-proxy.ts";
import type { Mortal } from "./deaths/mortal.ts";
import { createService, startMortalSandbox } from "./installation.ts";
import { type Pooler, startPooler } from "./pooler.ts";

const ADMIN_KEY = "crash-admin-key-0123456789abcdef";

export type Watchers = {
  readonly cloud: CloudWatcher;
  readonly database: (processName: string) => DatabaseWatcher;
};

export type RigSettings = {
  /**
   * `citus`: the cluster of SLIPWAY_TEST_CITUS_URL, which is not ours to stop. `pgbouncer`: PostgreSQL, which all
   * processes reach through PgBouncer.
   */
  readonly database: "postgres" | "embedded" | "citus" | "pgbouncer";
  readonly seed: number;
  /** Of workers and of organizations: on PostgreSQL only, else there is one of each. */
  readonly workers: number;
  readonly organizations: number;
  readonly sandboxEnv?: Readonly<Record<string, string>>;
};

type CrashDatabase = {
  /** Of the database itself, past a pooler. */
  readonly url: string;
  /** Null if the run did not start the server. */
  readonly server: PostgresCluster | null;
  /** Null if the processes reach the server without one. */
  readonly pooler: Pooler | null;
};

export type Rig = {
  /** Null on the embedded database. */
  readonly cluster: CrashDatabase | null;
  readonly sandbox: Mortal;
  readonly sandboxUrl: string;
  /** Holds all folders; the sandbox's is `sandbox`. */
  readonly dataDir: string;
  /** The processes that answer clients; with the embedded database only one, which is also the worker. */
  readonly apis: readonly Mortal[];
  readonly workers: readonly Mortal[];
  /** For each organization, its clients of all APIs, one of which may be away. */
  readonly organizations: readonly (readonly ApiClient[])[];
  dispose(): Promise<void>;
};

export async function startRig(
  { database, seed, workers: count, organizations, sandboxEnv }: RigSettings,
  watchers: Watchers,
): Promise<Rig> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-crash-"));
  const undo: (() => void | Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const dispose = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const apiPort = await freePort();
    const apiUrl = `http://127.0.0.1:${String(apiPort)}`;
    const started = await startMortalSandbox(folder, apiUrl, seed, undo, sandboxEnv);
    const { sandbox, url: sandboxUrl, dnsPort } = started;

    const cluster = await startDatabase(database, undo);
    const mortal = async (name: string, env: Record<string, string>): Promise<Mortal> => {
      const cloud = await startCloudProxy(name, sandboxUrl, watchers.cloud);
      undo.push(() => cloud.close());
      const proxy =
        cluster === null
          ? null
          : await startDatabaseProxy(cluster.pooler?.url ?? cluster.url, watchers.database(name));
      if (proxy !== null) undo.push(() => proxy.close());
      const dataName = database === "embedded" ? "data" : name;
      const of = { folder, dataName, apiUrl, adminKey: ADMIN_KEY, cloudUrl: cloud.url, dnsPort };
      const made = createService(name, of, {
        ...(proxy && { DATABASE_URL: proxy.url }),
        ...(cluster?.pooler && { SLIPWAY_DATABASE_DIRECT_URL: cluster.url }),
        ...env,
      });
      undo.push(() => made.kill());
      return made;
    };
    if (cluster === null) {
      const only = await mortal("api", { PORT: String(apiPort) });
      await only.start();
      const clients = [createApiClient(apiUrl, ADMIN_KEY)];
      return {
        cluster,
        sandbox,
        sandboxUrl,
        dataDir: folder,
        apis: [only],
        workers: [only],
        organizations: [clients],
        dispose,
      };
    }
    const ports = [apiPort, await freePort()].map(String);
    const apis = await Promise.all(
      ports.map((port, index) => mortal(`api-${index + 1}`, { PORT: port, SLIPWAY_ROLE: "api" })),
    );
    const workers = await Promise.all(
      Array.from({ length: count }, (_, index) => mortal(`worker-${index + 1}`, { SLIPWAY_ROLE: "worker" })),
    );
    // The first creates the database, and leaves its compiled code for all later ones.
    await apis[0]?.start();
    await apis[0]?.end();
    await Promise.all([...apis, ...workers].map((one) => one.start()));
    const keys = [ADMIN_KEY];
    while (keys.length < organizations) keys.push(await createOrganization(cluster.url, folder, keys.length));
    return {
      cluster,
      sandbox,
      sandboxUrl,
      dataDir: folder,
      apis,
      workers,
      organizations: keys.map((key) => ports.map((port) => createApiClient(`http://127.0.0.1:${port}`, key))),
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function startDatabase(
  kind: RigSettings["database"],
  undo: (() => void | Promise<void>)[],
): Promise<CrashDatabase | null> {
  if (kind === "embedded") return null;
  if (kind !== "citus") {
    const server = await startPostgresCluster({ shared_buffers: "128MB" });
    undo.push(() => server.dispose());
    const pooler = kind === "pgbouncer" ? await startPooler(server) : null;
    undo.push(() => pooler?.program.kill());
    return { url: server.url, server, pooler };
  }
  const { url, drop } = await createPostgresCopy(process.env["SLIPWAY_TEST_CITUS_URL"] ?? "");
  undo.push(drop);
  return { url, server: null, pooler: null };
}

/** @returns its admin's key */
export async function createOrganization(
  databaseUrl: string,
  folder: string,
  index: number,
): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["bin/slipway.js", "org", "create", `Organization ${index}`],
    {
      cwd: path.join(import.meta.dirname, "../.."),
      env: cleanEnv({ DATABASE_URL: databaseUrl, NODE_COMPILE_CACHE: path.join(folder, "compiled") }),
    },
  );
  const key = /slw_\w+/.exec(stdout)?.[0];
  if (key === undefined) throw new Error(`No key in: ${stdout}`);
  return key;
}
