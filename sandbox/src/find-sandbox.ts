/** What Slipway asks and reports to its sandbox beside calls, by URL and secret. */
import { lookup } from "node:dns/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { parseJsonOrNull } from "../../src/lib/json/json-body.ts";
import { SandboxStartError } from "./start-error.ts";

/** The answer of `GET /sandbox/ports`; all ports are on the host of the sandbox's URL. */
export const Ports = Type.Object({ http: Type.Integer(), dns: Type.Integer(), edge: Type.Integer() });

export type FoundSandbox = {
  readonly dnsAddress: { readonly host: string; readonly port: number };
  readonly edgePort: number;
};

const CALL_TIMEOUT_MS = 2_000;
const PAUSE_MS = 100;
const TENANCY_TIMEOUT_MS = 5_000;

/**
 * Asks the sandbox at `url` for its ports. The processes of an installation start together, so it waits for a sandbox
 * that is not running yet.
 * @param patienceMs how long it waits
 * @throws SandboxStartError
 */
export async function findSandbox(options: {
  readonly url: string;
  readonly secret: string | null;
  readonly patienceMs: number;
}): Promise<FoundSandbox> {
  const { url, secret } = options;
  const deadlineMs = performance.now() + options.patienceMs;
  for (;;) {
    try {
      const answer = await fetch(`${url}/sandbox/ports`, {
        headers: bearer(secret),
        redirect: "manual",
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      });
      // A proxy gives this answer for a sandbox that is not running yet.
      if (answer.status >= 500) throw new Error(`The answer has the status ${answer.status}.`);
      const ports = readPorts(url, answer.status, await answer.text());
      const { hostname } = new URL(url);
      const { address } = await lookup(hostname.replace(/^\[|\]$/g, ""));
      return { dnsAddress: { host: address, port: ports.dns }, edgePort: ports.edge };
    } catch (error) {
      if (error instanceof SandboxStartError) throw error;
      if (performance.now() >= deadlineMs) {
        throw new SandboxStartError(
          `The sandbox does not answer at ${url} (SLIPWAY_SANDBOX_URL). Start it with: npm run slipway -- sandbox`,
          { cause: error },
        );
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** @throws SandboxStartError when the answer does not come from a sandbox, or from another installation's */
function readPorts(url: string, status: number, text: string): { dns: number; edge: number } {
  if (status === 401) {
    throw new SandboxStartError(
      `What answers at ${url} does not accept SLIPWAY_SANDBOX_SECRET. Use the value that the sandbox was started with, and set SLIPWAY_SANDBOX_URL to the sandbox, not to the API.`,
    );
  }
  const body = status === 200 ? parseJsonOrNull(text) : null;
  if (Value.Check(Ports, body)) return body;
  throw new SandboxStartError(
    `What answers at ${url} (SLIPWAY_SANDBOX_URL) is not a sandbox of this release. Set it to the address that \`npm run slipway -- sandbox\` prints.`,
  );
}

/**
 * Reports to the sandbox whether Slipway has more than one organization, or is reachable from other machines. If the
 * machine cannot isolate commands of repositories from Slipway, the sandbox only runs them if neither is the case.
 */
export async function sendTenancy(
  { url, secret }: { readonly url: string; readonly secret: string | null },
  isShared: boolean,
): Promise<void> {
  const answer = await fetch(`${url}/sandbox/tenancy`, {
    method: "PUT",
    headers: { "content-type": "application/json", ...bearer(secret) },
    body: JSON.stringify({ isShared }),
    redirect: "error",
    signal: AbortSignal.timeout(TENANCY_TIMEOUT_MS),
  });
  await answer.body?.cancel();
  // A sandbox of the previous release does not have this endpoint, and runs commands as before.
  if (!answer.ok && answer.status !== 404) throw new Error(`The sandbox answered ${answer.status}.`);
}

function bearer(secret: string | null): Readonly<Record<string, string>> {
  return secret === null ? {} : { authorization: `Bearer ${secret}` };
}
