/** Slipway as it is run in earnest, for a measurement: PostgreSQL, the sandbox cloud, an API and a worker, a process each. */
import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import { type ApiClient, createApiClient } from "../test/helpers/api-client.ts";
import { freePort } from "../test/helpers/free-port.ts";
import { type PostgresCluster, startPostgresCluster } from "../test/helpers/processes/postgres-cluster.ts";
import {
  type ServiceProcess,
  startProcess,
  startSandboxProcess,
} from "../test/helpers/processes/service-process.ts";
import { makeTempDir } from "../test/helpers/template.ts";

/** The first organization's admin key. */
export const KEY = "bench-admin-key-0123456789abcdef";
const SECRET = "bench-sandbox-secret";
const SESSION = { hasSession: true };

export type Rig = {
  readonly cluster: PostgresCluster;
  readonly sandbox: ServiceProcess;
  readonly api: ServiceProcess;
  readonly worker: ServiceProcess;
  readonly client: ApiClient;
  /** The sandbox's folder is `sandbox` in it. */
  readonly dataDir: string;
  /** For a client of the sandbox's own. */
  readonly sandboxSecret: string;
  dispose(): Promise<void>;
};

/**
 * @param settings of PostgreSQL, by name
 * @param through the address at which Slipway reaches a sandbox, such as a proxy's
 */
export async function startRig(
  env: Readonly<Record<string, string>> = {},
  settings: Readonly<Record<string, string | number>> = {},
  through: (sandboxUrl: string) => Promise<string> = async (url) => await Promise.resolve(url),
): Promise<Rig> {
  const cluster = await startPostgresCluster({ shared_buffers: "1GB", max_wal_size: "4GB", ...settings });
  const dataDir = await makeTempDir("bench");
  const children: ChildProcess[] = [];
  const interrupt = (): void => {
    void dispose().finally(() => process.exit(130));
  };
  const dispose = async (): Promise<void> => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.removeListener(signal, interrupt);
    for (const child of children.toReversed()) child.kill("SIGKILL");
    cluster.dispose();
    await rm(dataDir, { recursive: true, force: true });
  };
  // An interrupted measurement must leave nothing behind.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, interrupt);
  try {
    const port = String(await freePort());
    const shared = {
      DATABASE_URL: cluster.url,
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: KEY,
      SLIPWAY_RATE_LIMIT_PER_MINUTE: "0",
      SLIPWAY_SANDBOX_SECRET: SECRET,
      SLIPWAY_PUBLIC_URL: `http://127.0.0.1:${port}`,
      ...env,
    };
    const sandbox = await startSandboxProcess(
      { ...shared, SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0" },
      SESSION,
    );
    children.push(sandbox.process);
    const placed = { ...shared, SLIPWAY_SANDBOX_URL: await through(sandbox.url) };
    const api = await startProcess({ ...placed, PORT: port, SLIPWAY_ROLE: "api" }, undefined, SESSION);
    children.push(api.process);
    const worker = await startProcess({ ...placed, SLIPWAY_ROLE: "worker" }, undefined, SESSION);
    children.push(worker.process);
    const client = createApiClient(api.listensAt, KEY);
    return { cluster, sandbox, api, worker, client, dataDir, sandboxSecret: SECRET, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
