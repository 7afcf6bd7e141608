/**
 * Slipway as an operator scales it: PostgreSQL, the sandbox cloud, an API and two workers, each a process
 * that can be killed, with a proxy before every connection that an effect goes through. Or all in one
 * process on the embedded database, with the sandbox beside it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { freePort } from "../helpers/free-port.ts";
import { type PostgresCluster, startPostgresCluster } from "../helpers/postgres-cluster.ts";
import { type CloudWatcher, startCloudProxy } from "./cloud-proxy.ts";
import { type CommitWatcher, startDatabaseProxy } from "./database-proxy.ts";
import { createMortal, type Mortal } from "./mortal.ts";

const ADMIN_KEY = "crash-admin-key-0123456789abcdef";
/** Of the sandbox, for whoever plays the customer there. */
export const SANDBOX_SECRET = "crash-sandbox-secret";
const SERVES = /Slipway is at /;

export type Watchers = {
  readonly cloud: CloudWatcher;
  readonly commits: (processName: string) => CommitWatcher;
};

export type Rig = {
  /** Null on the embedded database. */
  readonly cluster: PostgresCluster | null;
  readonly sandbox: Mortal;
  readonly sandboxUrl: string;
  /** The process that answers clients; on the embedded database it is the worker too. */
  readonly api: Mortal;
  readonly workers: readonly Mortal[];
  readonly client: ApiClient;
  dispose(): Promise<void>;
};

export async function startRig(
  database: "postgres" | "embedded",
  seed: number,
  watchers: Watchers,
): Promise<Rig> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-crash-"));
  const undo: (() => void | Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const dispose = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const [apiPort, httpPort, dnsPort, edgePort] = await Promise.all(Array.from({ length: 4 }, freePort));
    const apiUrl = `http://127.0.0.1:${String(apiPort)}`;
    const sandboxUrl = `http://127.0.0.1:${String(httpPort)}`;
    const sandbox = createMortal(
      "sandbox",
      [
        "test/crash/sandbox-process.ts",
        path.join(folder, "sandbox"),
        `${apiUrl}/cloud-callbacks`,
        SANDBOX_SECRET,
        String(seed),
        ...[httpPort, dnsPort, edgePort].map(String),
      ],
      /The sandbox is at/,
      {},
    );
    undo.push(() => sandbox.kill());
    await sandbox.start();

    const cluster = database === "postgres" ? await startPostgresCluster({ shared_buffers: "128MB" }) : null;
    if (cluster !== null) undo.push(() => cluster.dispose());
    const mortal = async (name: string, env: Record<string, string>): Promise<Mortal> => {
      const cloud = await startCloudProxy(name, sandboxUrl, watchers.cloud);
      undo.push(() => cloud.close());
      const proxy = cluster === null ? null : await startDatabaseProxy(cluster.url, watchers.commits(name));
      if (proxy !== null) undo.push(() => proxy.close());
      const made = createMortal(name, ["src/main.ts"], SERVES, {
        SLIPWAY_DATA_DIR: path.join(folder, database === "postgres" ? name : "data"),
        SLIPWAY_SEALING_KEYS: path.join(folder, "keys"),
        SLIPWAY_PUBLIC_URL: apiUrl,
        SLIPWAY_API_KEY: ADMIN_KEY,
        SLIPWAY_SANDBOX_URL: cloud.url,
        SLIPWAY_SANDBOX_SECRET: SANDBOX_SECRET,
        SLIPWAY_DNS_SERVERS: `127.0.0.1:${String(dnsPort)}`,
        SLIPWAY_SANDBOX_DNS_PORT: String(dnsPort),
        ...(proxy === null ? {} : { DATABASE_URL: proxy.url }),
        ...env,
      });
      undo.push(() => made.kill());
      return made;
    };
    const apiRole: Record<string, string> = cluster === null ? {} : { SLIPWAY_ROLE: "api" };
    const api = await mortal("api", { PORT: String(apiPort), ...apiRole });
    await api.start();
    const workers = cluster === null ? [api] : await Promise.all(workersOf(mortal));
    if (cluster !== null) await Promise.all(workers.map((worker) => worker.start()));
    return {
      cluster,
      sandbox,
      sandboxUrl,
      api,
      workers,
      client: createApiClient(apiUrl, ADMIN_KEY),
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

function workersOf(
  mortal: (name: string, env: Record<string, string>) => Promise<Mortal>,
): Promise<Mortal>[] {
  return ["worker-1", "worker-2"].map((name) => mortal(name, { SLIPWAY_ROLE: "worker" }));
}
