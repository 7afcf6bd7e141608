/** The parts of every run with faults: the sandbox as a process that can be killed, and the service's environment. */
import path from "node:path";
import { freePort } from "../helpers/free-port.ts";
import { createMortal, type Mortal } from "./deaths/mortal.ts";

/** The sandbox's secret, for clients that act as the customer there. */
export const SANDBOX_SECRET = "crash-sandbox-secret";

export type MortalSandbox = { readonly sandbox: Mortal; readonly url: string; readonly dnsPort: string };

/** @param folder of the run; the sandbox's is `sandbox` in it @param undo gets what ends it @param env of its process */
export async function startMortalSandbox(
  folder: string,
  apiUrl: string,
  seed: number,
  undo: (() => void | Promise<void>)[],
  env: Readonly<Record<string, string>> = {},
): Promise<MortalSandbox> {
  const ports = (await Promise.all(Array.from({ length: 3 }, freePort))).map(String);
  const [httpPort = "", dnsPort = ""] = ports;
  const sandbox = createMortal(
    "sandbox",
    [
      "test/crash/sandbox-process.ts",
      path.join(folder, "sandbox"),
      `${apiUrl}/cloud-callbacks`,
      SANDBOX_SECRET,
      String(seed),
      ...ports,
    ],
    /The sandbox is at/,
    env,
  );
  undo.push(() => sandbox.kill());
  await sandbox.start();
  return { sandbox, url: `http://127.0.0.1:${httpPort}`, dnsPort };
}

/** The service as a process of the run. @param of.dataName its data folder @param of.cloudUrl of the sandbox */
export function createService(
  name: string,
  of: {
    readonly folder: string;
    readonly dataName: string;
    readonly apiUrl: string;
    readonly adminKey: string;
    readonly cloudUrl: string;
    readonly dnsPort: string;
  },
  env: Readonly<Record<string, string>>,
): Mortal {
  return createMortal(name, ["src/main.ts"], /Slipway is at /, {
    SLIPWAY_DATA_DIR: path.join(of.folder, of.dataName),
    SLIPWAY_SEALING_KEYS: path.join(of.folder, "keys"),
    SLIPWAY_PUBLIC_URL: of.apiUrl,
    SLIPWAY_API_KEY: of.adminKey,
    SLIPWAY_RATE_LIMIT_PER_MINUTE: "0",
    SLIPWAY_SANDBOX_URL: of.cloudUrl,
    SLIPWAY_SANDBOX_SECRET: SANDBOX_SECRET,
    SLIPWAY_DNS_SERVERS: `127.0.0.1:${of.dnsPort}`,
    SLIPWAY_SANDBOX_DNS_PORT: of.dnsPort,
    // Half of what a start costs is the compiling of what never changes.
    NODE_COMPILE_CACHE: path.join(of.folder, "compiled"),
    ...env,
  });
}
