import { get } from "node:http";
import { pause } from "../../../../src/lib/pace/pause.ts";
import type { PlatformTuning } from "../tuning.ts";

/** How a process proves that it is healthy: it answers a request, or stays up for a while. */
export type HealthCheck = { readonly kind: "http"; readonly path: string } | { readonly kind: "settle" };

const ANSWER_TIMEOUT_MS = 5_000;
const MAX_INTERVAL_MS = 1_000;

/** Sends requests until one gets a 2xx or 3xx. @returns null on success; the last result once the signal aborts */
export async function waitUntilHealthy(
  check: HealthCheck,
  port: number,
  tuning: PlatformTuning,
  signal: AbortSignal,
): Promise<string | null> {
  if (check.kind === "settle") {
    await pause(tuning.workerSettleMs, signal);
    return signal.aborted ? "it did not stay up" : null;
  }
  let seen = "it was not checked yet";
  let intervalMs = tuning.healthIntervalMs;
  while (!signal.aborted) {
    const answer = await ask(port, check.path, signal);
    if (answer === null) return null;
    if (!signal.aborted) seen = answer;
    await pause(intervalMs, signal);
    intervalMs = Math.min(MAX_INTERVAL_MS, intervalMs * 1.5);
  }
  return seen;
}

function ask(port: number, path: string, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const request = get(
      new URL(`http://127.0.0.1:${port}${path}`),
      { agent: false, signal, timeout: ANSWER_TIMEOUT_MS },
      (response) => {
        const status = response.statusCode ?? 0;
        response.destroy();
        resolve(status >= 200 && status < 400 ? null : `it answered with status ${status}`);
      },
    );
    request.on("timeout", () => request.destroy());
    // The connection was refused, reset or silent: the process does not serve yet.
    request.on("error", () => resolve(`nothing answered on port ${port}, which the variable PORT names`));
  });
}
