/** A realistic installation: a load balancer, and separate processes for each role and for the sandbox cloud. */
import { rm } from "node:fs/promises";
import path from "node:path";
import { type ApiClient, createApiClient } from "../api-client.ts";
import { ADMIN_KEY } from "../instance.ts";
import { type LoadBalancer, startLoadBalancer } from "./load-balancer.ts";
import { type ServiceProcess, startProcess, startSandboxProcess } from "./service-process.ts";
import { makeTempDir, type TestDatabase } from "../template.ts";

export type Installation = {
  /** Goes with the installation; each process has its own below. */
  readonly folder: string;
  readonly balancer: LoadBalancer;
  /** Over the balancer. */
  readonly admin: ApiClient;
  /** @param release the folder of another one than this */
  startRole(role: "api" | "worker", release?: string): Promise<ServiceProcess>;
  /** Kills every process, and drops the database. */
  stop(): Promise<void>;
};

/** Starts the sandbox and the balancer, which has no target yet. */
export async function startInstallation(name: string, database: TestDatabase): Promise<Installation> {
  const folder = await makeTempDir(name);
  const balancer = await startLoadBalancer();
  const started: ServiceProcess[] = [];
  const env = (process: string) => ({
    SLIPWAY_DATA_DIR: path.join(folder, process),
    SLIPWAY_SEALING_KEYS: path.join(folder, "keys"),
    SLIPWAY_PUBLIC_URL: balancer.url,
    SLIPWAY_API_KEY: ADMIN_KEY,
    SLIPWAY_SANDBOX_SECRET: "a-secret-that-all-share",
    DATABASE_URL: database.url,
  });
  const sandbox = await startSandboxProcess({ ...env("sandbox"), SLIPWAY_SANDBOX_URL: "http://127.0.0.1:0" });
  started.push(sandbox);
  let count = 0;
  return {
    folder,
    balancer,
    admin: createApiClient(balancer.url, ADMIN_KEY),
    async startRole(role, release) {
      count += 1;
      const shared = { SLIPWAY_SANDBOX_URL: sandbox.url, SLIPWAY_ROLE: role };
      const service = await startProcess({ ...env(`${role}-${count}`), ...shared }, release);
      started.push(service);
      return service;
    },
    async stop() {
      for (const { process } of started) process.kill("SIGKILL");
      await Promise.all(started.map(({ ended }) => ended));
      await balancer.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
