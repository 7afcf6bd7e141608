/**
 * Slipway in processes that deploy and can be killed, with the sandbox cloud in one of its own and a proxy
 * that sees each call on its way there. What runs and lies on the machine is read from the machine itself.
 */
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { type EdgeAnswer, getFromEdge } from "../sandbox/edge-client.ts";
import { type CloudCall, startCloudProxy } from "../../crash/deaths/cloud-proxy.ts";
import { createMortal, type Mortal } from "../../crash/deaths/mortal.ts";
import { type ApiClient, createApiClient } from "../api-client.ts";
import { freePort } from "../free-port.ts";
import { ADMIN_KEY } from "../instance.ts";
import { listProcessesIn } from "../sandbox/processes-in.ts";
import { copyPgliteTemplate, makeTempDir } from "../template.ts";

const SECRET = "a-secret-of-the-sandbox";

/** The moments of a call: before the cloud hears of it, and after it was done but before its answer is heard. */
export type Moment = "before" | "after";

export type DeployingProcesses = {
  /** Whose folder `sandbox` has the sandbox's files, as an instance's has. */
  readonly dataDir: string;
  readonly admin: ApiClient;
  readonly sandbox: Mortal;
  /** All but the sandbox, by name. */
  readonly services: ReadonlyMap<string, Mortal>;
  /** Called with each call; the call is lost if it returns true. One at a time. */
  watch(onCall: ((call: CloudCall, moment: Moment) => boolean) | null): void;
  getPage(host: string, page?: string): Promise<EdgeAnswer>;
  /** Folders in which processes of released services run, with their command lines. */
  listProcesses(): readonly { readonly folder: string; readonly command: string }[];
  /** The folders that builds and releases have. */
  listFolders(): { readonly builds: readonly string[]; readonly releases: readonly string[] };
  dispose(): Promise<void>;
};

/**
 * One process on the embedded database, or with the address of a PostgreSQL database one `api` and two
 * workers. Everything serves when it resolves.
 */
export async function startDeployingProcesses(databaseUrl: string | null): Promise<DeployingProcesses> {
  const dataDir = await makeTempDir("deploying");
  const undo: (() => void | Promise<void>)[] = [
    () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }),
  ];
  const dispose = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const [apiPort = 0, httpPort = 0, dnsPort = 0, edgePort = 0] = await Promise.all(
      Array.from({ length: 4 }, freePort),
    );
    const apiUrl = `http://127.0.0.1:${apiPort}`;
    const sandboxUrl = `http://127.0.0.1:${httpPort}`;
    const sandboxDir = path.join(dataDir, "sandbox");
    const ports = [httpPort, dnsPort, edgePort].map(String);
    const sandbox = createMortal(
      "sandbox",
      ["test/crash/sandbox-process.ts", sandboxDir, `${apiUrl}/cloud-callbacks`, SECRET, "1", ...ports],
      /The sandbox is at/,
      {},
    );
    undo.push(() => sandbox.kill());
    await sandbox.start();
    const caCertificatePem = await (await fetch(`${sandboxUrl}/sandbox/ca.pem`)).text();

    let watcher: ((call: CloudCall, moment: Moment) => boolean) | null = null;
    const told = (call: CloudCall, moment: Moment) => (watcher?.(call, moment) === true ? "drop" : "pass");
    const services = new Map<string, Mortal>();
    const run = async (name: string, env: Record<string, string>): Promise<void> => {
      const proxy = await startCloudProxy(name, sandboxUrl, {
        onCall: (call) => told(call, "before"),
        onAnswer: (call) => told(call, "after"),
      });
      undo.push(() => proxy.close());
      const mortal = createMortal(name, ["src/main.ts"], /Slipway is at /, {
        SLIPWAY_DATA_DIR: path.join(dataDir, name),
        SLIPWAY_SEALING_KEYS: path.join(dataDir, "keys"),
        SLIPWAY_PUBLIC_URL: apiUrl,
        SLIPWAY_API_KEY: ADMIN_KEY,
        SLIPWAY_SANDBOX_URL: proxy.url,
        SLIPWAY_SANDBOX_SECRET: SECRET,
        SLIPWAY_DNS_SERVERS: `127.0.0.1:${dnsPort}`,
        ...env,
      });
      undo.push(() => mortal.kill());
      await mortal.start();
      services.set(name, mortal);
    };
    if (databaseUrl === null) {
      await copyPgliteTemplate(path.join(dataDir, "service", "database"));
      await run("service", { PORT: String(apiPort) });
    } else {
      const env = { DATABASE_URL: databaseUrl };
      await run("api", { ...env, PORT: String(apiPort), SLIPWAY_ROLE: "api" });
      for (const name of ["worker-1", "worker-2"]) await run(name, { ...env, SLIPWAY_ROLE: "worker" });
    }

    const platformDir = path.join(sandboxDir, "platform");
    return {
      dataDir,
      admin: createApiClient(apiUrl, ADMIN_KEY),
      sandbox,
      services,
      watch: (onCall) => {
        watcher = onCall;
      },
      getPage: (host, page = "/") => getFromEdge({ edgePort, caCertificatePem }, host, { path: page }),
      listProcesses: () => listProcessesIn(platformDir),
      listFolders: () => ({
        builds: readdirSync(path.join(platformDir, "builds")),
        releases: readdirSync(path.join(platformDir, "releases")),
      }),
      dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
