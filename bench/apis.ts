/** API processes on one database with a project, for measurements of requests; the sandbox is a process too. */
import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import { createApiClient } from "../test/helpers/api-client.ts";
import { createProject } from "../test/helpers/customers/scenario.ts";
import { type PostgresCluster, startPostgresCluster } from "../test/helpers/processes/postgres-cluster.ts";
import {
  type ServiceProcess,
  startProcess,
  startSandboxProcess,
} from "../test/helpers/processes/service-process.ts";
import { makeTempDir } from "../test/helpers/template.ts";
import { KEY } from "./rig.ts";

export type Apis = {
  readonly cluster: PostgresCluster;
  readonly serviceId: string;
  readonly environmentId: string;
  /** What else is killed at the end. */
  readonly children: ChildProcess[];
  start(env?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
  dispose(): Promise<void>;
};

/** @param settings of PostgreSQL, by name */
export async function prepareApis(settings: Readonly<Record<string, string | number>>): Promise<Apis> {
  const cluster = await startPostgresCluster({ max_wal_size: "4GB", ...settings });
  const dataDir = await makeTempDir("bench");
  const children: ChildProcess[] = [];
  const dispose = async (): Promise<void> => {
    for (const child of children) child.kill("SIGKILL");
    cluster.dispose();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const env = {
      DATABASE_URL: cluster.url,
      SLIPWAY_DATA_DIR: dataDir,
      SLIPWAY_API_KEY: KEY,
      // One key makes all requests. A limit that is never met, so that counting is measured too.
      SLIPWAY_RATE_LIMIT_PER_MINUTE: "1000000",
      SLIPWAY_SANDBOX_SECRET: "bench-sandbox-secret",
    };
    const first = await startProcess(env);
    const { services, environmentId } = await createProject(createApiClient(first.url, KEY), "bench");
    first.process.kill("SIGTERM");
    await first.ended;
    // As it is run in earnest: the cloud is elsewhere.
    const shared = { ...env, SLIPWAY_PUBLIC_URL: first.url };
    const sandbox = await startSandboxProcess({ ...shared, SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0" });
    children.push(sandbox.process);
    return {
      cluster,
      serviceId: services["web"] ?? "",
      environmentId,
      children,
      async start(more = {}) {
        const api = { SLIPWAY_ROLE: "api", SLIPWAY_SANDBOX_URL: sandbox.url };
        const started = await startProcess({ ...shared, ...api, ...more });
        children.push(started.process);
        return started;
      },
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
