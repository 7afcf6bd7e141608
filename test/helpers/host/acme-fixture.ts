/** The ACME engine with a real Pebble, a real DNS and the answering part of an edge. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import type { TestContext } from "node:test";
import { type Acme, startAcme } from "../../../sandbox/src/acme/start-acme.ts";
import { openState, type SandboxState } from "../../../sandbox/src/state.ts";
import { makeTempDir } from "../template.ts";
import { until } from "../until.ts";
import { type ChallengeEdge, startChallengeEdge } from "./challenge-edge.ts";
import { startTestNames, type TestNames } from "./names.ts";
import { type Pebble, type PebbleOptions, startPebble } from "./pebble.ts";

export const EDGE_HOST = "edge.slipway.example";
export const CHALLENGE_ZONE = `acme.${EDGE_HOST}`;
export const ACCOUNT = "111122223333";

type AcmeOptions = Parameters<typeof startAcme>[0];

/** A stand-in for the service's sealing: AES-256-GCM, bound to its place. */
export function createSeal(key = randomBytes(32)): AcmeOptions["seal"] {
  return {
    seal(text, of) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(of));
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64");
    },
    open(sealed, of) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
      decipher.setAAD(Buffer.from(of)).setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
  };
}

export type World = { readonly names: TestNames; readonly edge: ChallengeEdge; readonly folder: string };

/** DNS, edge and a folder, ended with the test. */
export async function startWorld(t: TestContext): Promise<World> {
  const [names, edge, folder] = [
    await startTestNames(),
    await startChallengeEdge(),
    await makeTempDir("acme"),
  ];
  t.after(async () => {
    await edge.stop();
    await names.stop();
    await rm(folder, { recursive: true, force: true });
  });
  names.set(EDGE_HOST, "A", "127.0.0.1");
  return { names, edge, folder };
}

export async function startCa(
  t: TestContext,
  { names, edge }: World,
  options: Partial<PebbleOptions> = {},
): Promise<Pebble> {
  const { httpPort, httpsPort } = edge;
  const pebble = await startPebble({ dns: names, httpPort, httpsPort, ...options });
  t.after(() => pebble.stop());
  return pebble;
}

export type RunningAcme = Acme & {
  readonly state: SandboxState;
  readonly seal: AcmeOptions["seal"];
  /** Requests a certificate, and waits until it is issued. */
  issue(...names: readonly string[]): Promise<string>;
  statusOf(id: string): string | undefined;
};

/** @param now milliseconds since 1970 */
export async function startEngine(
  t: TestContext,
  { names, edge, folder }: World,
  config: Partial<AcmeOptions["config"]> & { readonly directory: string },
  {
    now = Date.now,
    seal = createSeal(),
    isInUse = () => true,
    log = { info: () => undefined, warn: () => undefined },
  }: Partial<Pick<AcmeOptions, "now" | "seal" | "isInUse" | "log">> = {},
): Promise<RunningAcme> {
  const state = openState(folder);
  const acme = await startAcme({
    state,
    now,
    log,
    isInUse,
    config: { fallbackDirectory: null, caFile: null, email: null, eab: null, profile: null, ...config },
    edge: {
      addresses: ["127.0.0.1"],
      hostname: EDGE_HOST,
      // As behind a forwarding: nothing listens on the first port.
      httpPorts: [1, edge.httpPort],
      httpsPorts: [1, edge.httpsPort],
    },
    challengeZone: CHALLENGE_ZONE,
    dnsServers: [names],
    seal,
    validationWindowMs: 72 * 3_600_000,
  });
  edge.use(acme.challenges);
  names.serveTexts(CHALLENGE_ZONE, (name) => acme.challenges.txtAt(name));
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await acme.stop();
    state.close();
  };
  t.after(stop);
  const statusOf = (id: string) => acme.certificates.describe(ACCOUNT, id)?.status;
  return {
    ...acme,
    stop,
    state,
    seal,
    statusOf,
    async issue(...wanted) {
      const { id } = acme.certificates.request(ACCOUNT, wanted, wanted.join());
      await until(() => statusOf(id) === "ISSUED", `${wanted.join()} is issued`, 30_000).catch(
        (error: unknown) => {
          throw new Error(JSON.stringify(acme.status(), null, 1), { cause: error });
        },
      );
      return id;
    },
  };
}
