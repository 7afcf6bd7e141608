import { rm } from "node:fs/promises";
import path from "node:path";
import { pino } from "pino";
import { readConfig } from "../../src/start/config/config.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { SandboxServer } from "../../sandbox/src/server.ts";
import { instantTuning, type SandboxTuning } from "../../sandbox/src/tuning.ts";
import { createLogger } from "../../src/lib/log.ts";
import { type Slipway, start } from "../../src/start/start.ts";
import { type ApiClient, createApiClient } from "./api-client.ts";
import { seedOrganizations } from "./organizations.ts";
import { copyPgliteTemplate, createPostgresCopy, makeTempDir } from "./template.ts";

/** The key of the first organization's admin, in every test instance. */
export const ADMIN_KEY = "test-admin-key-0123456789abcdef";

/** The key of the second organization's admin, if a test creates one. */
export const OTHER_ADMIN_KEY = "other-admin-key-0123456789abcdef";

export type Instance = {
  readonly url: string;
  readonly dataDir: string;
  /** Null on the embedded database. */
  readonly databaseUrl: string | null;
  readonly admin: ApiClient;
  /** The admin of another organization; its key is unknown unless `withOtherOrganization` was set. */
  readonly other: ApiClient;
  readonly sandbox: SandboxServer;
  /** Everything logged so far, as text. */
  readonly logged: () => string;
  /** Stops the service and starts it again on the same data, at another port. The data is closed during `meanwhile`. */
  restart(meanwhile?: () => Promise<void>): Promise<Instance>;
  /** Stops and removes everything. */
  dispose(): Promise<void>;
};

export type InstanceOptions = {
  readonly tuning?: Partial<SandboxTuning>;
  readonly env?: Record<string, string>;
  readonly clock?: Clock;
  readonly withOtherOrganization?: boolean;
};

/**
 * A whole Slipway in this process, with its sandbox, on free ports: on PGlite, or on a database of its
 * own where `SLIPWAY_TEST_POSTGRES` names a server.
 */
export async function startInstance(options: InstanceOptions = {}): Promise<Instance> {
  const dataDir = await makeTempDir("instance");
  const adminUrl = process.env["SLIPWAY_TEST_POSTGRES"];
  const postgres = adminUrl === undefined ? null : await createPostgresCopy(adminUrl);
  if (postgres === null) await copyPgliteTemplate(path.join(dataDir, "database"));
  const env = {
    HOST: "127.0.0.1",
    PORT: "0",
    SLIPWAY_DATA_DIR: dataDir,
    SLIPWAY_API_KEY: ADMIN_KEY,
    SLIPWAY_SANDBOX_DNS_PORT: "0",
    SLIPWAY_SANDBOX_EDGE_PORT: "0",
    ...(postgres === null ? {} : { DATABASE_URL: postgres.url }),
    ...options.env,
  };
  if (options.withOtherOrganization === true) {
    const databaseUrl = postgres?.url ?? null;
    await seedOrganizations({ dataDir, databaseUrl }, [ADMIN_KEY, OTHER_ADMIN_KEY]);
  }
  const removeData = async (): Promise<void> => {
    await postgres?.drop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return await run(env, options, dataDir, removeData);
}

async function run(
  env: Record<string, string>,
  options: InstanceOptions,
  dataDir: string,
  removeData: () => Promise<void>,
): Promise<Instance> {
  const lines: string[] = [];
  const log = createLogger(
    "debug",
    pino.multistream([{ level: "debug", stream: { write: (line) => void lines.push(line) } }]),
  );
  let slipway: Slipway;
  try {
    slipway = await start(readConfig(env), {
      log,
      sandboxTuning: { ...instantTuning, ...options.tuning },
      // Tests end with all their requests answered.
      idleGraceMs: 0,
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    });
  } catch (error) {
    await removeData();
    throw error;
  }
  const { sandbox } = slipway;
  if (sandbox === null) throw new Error("The test instance runs no sandbox.");
  return {
    url: slipway.url,
    dataDir,
    databaseUrl: env["DATABASE_URL"] ?? null,
    admin: createApiClient(slipway.url, ADMIN_KEY),
    other: createApiClient(slipway.url, OTHER_ADMIN_KEY),
    sandbox,
    logged: () => lines.join(""),
    async restart(meanwhile) {
      await slipway.stop();
      await meanwhile?.();
      return await run(env, options, dataDir, removeData);
    },
    async dispose() {
      await slipway.stop();
      await removeData();
    },
  };
}
