/** Slipway's processes on the cluster: the sandbox, two APIs and two workers, of which each way has one. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { startCloudProxy } from "../crash/deaths/cloud-proxy.ts";
import type { Mortal } from "../crash/deaths/mortal.ts";
import { createService, startMortalSandbox } from "../crash/installation.ts";
import { createOrganization } from "../crash/rig.ts";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { freePort } from "../helpers/free-port.ts";

const ADMIN_KEY = "ha-admin-key-0123456789abcdef";

/** How a process reaches the primary. */
export type Way = "haproxy" | "hosts";

export type Installation = {
  readonly sandboxUrl: string;
  /** Holds all folders; the sandbox's is `sandbox`. */
  readonly dataDir: string;
  readonly processes: readonly Mortal[];
  /** The customers' organization, and that of the witnesses, at each API by its name. */
  readonly customers: readonly ApiClient[];
  readonly witnesses: ReadonlyMap<string, ApiClient>;
  /** When workers called the cloud, by `performance.now()`, in order. */
  readonly callsMs: readonly number[];
  stop(): Promise<void>;
};

/** @param urlThrough of the database */
export async function startInstallation(
  ways: readonly Way[],
  seed: number,
  urlThrough: (way: Way) => string,
): Promise<Installation> {
  const folder = await mkdtemp(path.join(tmpdir(), "slipway-ha-data-"));
  const undo: (() => void | Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  const callsMs: number[] = [];
  try {
    const apiPorts = await Promise.all(ways.map(freePort));
    const apiUrl = `http://127.0.0.1:${String(apiPorts[0])}`;
    const { sandbox, url: sandboxUrl, dnsPort } = await startMortalSandbox(folder, apiUrl, seed, undo);
    const mortal = async (name: string, way: Way, env: Record<string, string>): Promise<Mortal> => {
      const cloud = await startCloudProxy(name, sandboxUrl, {
        onCall: () => "pass",
        onAnswer: () => {
          if (env["SLIPWAY_ROLE"] === "worker") callsMs.push(performance.now());
          return "pass";
        },
      });
      undo.push(() => cloud.close());
      const of = { folder, dataName: name, apiUrl, adminKey: ADMIN_KEY, cloudUrl: cloud.url, dnsPort };
      const made = createService(name, of, { DATABASE_URL: urlThrough(way), ...env });
      undo.push(() => made.kill());
      return made;
    };
    const apis = await Promise.all(
      ways.map((way, index) =>
        mortal(`api-${index + 1}-${way}`, way, { PORT: String(apiPorts[index]), SLIPWAY_ROLE: "api" }),
      ),
    );
    const workers = await Promise.all(
      ways.map((way, index) => mortal(`worker-${index + 1}-${way}`, way, { SLIPWAY_ROLE: "worker" })),
    );
    // The first migrates.
    const [first, ...others] = apis;
    await first?.start();
    await Promise.all([...others, ...workers].map((one) => one.start()));
    const witnessKey = await createOrganization(urlThrough(ways[0] ?? "hosts"), folder, 1);
    const urls = apiPorts.map((port) => `http://127.0.0.1:${String(port)}`);
    return {
      sandboxUrl,
      dataDir: folder,
      processes: [...apis, ...workers, sandbox],
      customers: urls.map((url) => createApiClient(url, ADMIN_KEY)),
      witnesses: new Map(
        urls.map((url, index) => [
          `api-${index + 1}-${String(ways[index])}`,
          createApiClient(url, witnessKey),
        ]),
      ),
      callsMs,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
