/** What the acceptance tests run against: a base URL and a key, wherever and by whomever it was started. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type DnsRecord, type NewCodeSource, Slipway } from "../../sdk/src/index.ts";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const START_TIMEOUT_MS = 60_000;

export type Target = {
  readonly slipway: Slipway;
  /** For what the SDK hides. */
  readonly client: ApiClient;
  readonly customer: Customer;
  /** Stops what was started for the tests; an instance named in the environment keeps running. */
  dispose(): Promise<void>;
};

/** What customers do outside of Slipway: in their cloud account, at their DNS provider and at their git host. */
export type Customer = {
  /** Connects the account, as the page of its link does. */
  connect(awsAccountId: string): Promise<void>;
  setRecord(record: DnsRecord): Promise<void>;
  /** Its `slipway.json` declares one environment with one service. The URL has no `.git`. */
  readonly repository: { readonly url: string; readonly codeSource: NewCodeSource };
};

/**
 * The instance that `SLIPWAY_ACCEPTANCE_URL` and `SLIPWAY_ACCEPTANCE_KEY` (an admin's) name; it must run
 * the sandbox cloud. Without them, one is started from this repository.
 */
export async function openTarget(): Promise<Target> {
  const url = process.env["SLIPWAY_ACCEPTANCE_URL"];
  const key = process.env["SLIPWAY_ACCEPTANCE_KEY"];
  if (url === undefined && key === undefined) return await startTarget();
  if (url === undefined || key === undefined) {
    throw new Error("Set both SLIPWAY_ACCEPTANCE_URL and SLIPWAY_ACCEPTANCE_KEY, or neither.");
  }
  return { ...clientsOf(url.replace(/\/+$/, ""), key), dispose: async () => undefined };
}

function clientsOf(url: string, key: string): Omit<Target, "dispose"> {
  const slipway = new Slipway({ url, token: key });
  return { slipway, client: createApiClient(url, key), customer: sandboxCustomer(slipway) };
}

function sandboxCustomer(slipway: Slipway): Customer {
  return {
    async connect(awsAccountId) {
      await slipway.request("POST", "/sandbox/stacks", { body: { ServiceId: awsAccountId } });
    },
    async setRecord({ name, type, value }) {
      await slipway.request("PUT", "/sandbox/dns/records", { body: { name, type, values: [value] } });
    },
    repository: { url: "https://git.sandbox.test/demo", codeSource: { provider: "provider_a" } },
  };
}

async function startTarget(): Promise<Target> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-acceptance-"));
  const key = randomBytes(24).toString("base64url");
  const child = spawn(process.execPath, [path.join(REPOSITORY, "src/main.ts")], {
    env: {
      PORT: "0",
      SLIPWAY_DATA_DIR: folder,
      SLIPWAY_API_KEY: key,
      SLIPWAY_SANDBOX_DNS_PORT: "0",
      SLIPWAY_SANDBOX_EDGE_PORT: "0",
      SLIPWAY_SANDBOX_PACE: "instant",
      SLIPWAY_LOG: "warn",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "close");
  const dispose = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    return { ...clientsOf(await urlOf(child), key), dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** The address that the greeting names. */
function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (why: string): void => reject(new Error(`${why}\n${said}`));
    const timer = setTimeout(() => fail("The instance said no address."), START_TIMEOUT_MS);
    child.once("close", () => {
      clearTimeout(timer);
      fail("The instance ended.");
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const url = /Slipway is at (http\S+)/.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}
