import type { FastifyRequest } from "fastify";
import type { Logger } from "../../lib/log.ts";
import type { RefusalReason } from "../auth.ts";
import { sourceAddressOf } from "./source-address.ts";

/**
 * How many refusals per minute are logged one by one. The rest is counted, so that clients cannot flood the log. It is
 * a window, not a token bucket, so that the number in the log belongs to a certain time.
 */
const TOLD_PER_MINUTE = 20;
const MINUTE_MS = 60_000;

/**
 * Logs requests that were refused because they had no valid key: their address and the reason, never the sent data.
 * Those beyond the limit are logged as a number, with the first refusal of a later minute.
 */
export function createRefusedSignIns(options: {
  readonly log: Logger;
  readonly now?: () => number;
}): (request: FastifyRequest, reason: RefusalReason) => void {
  const { log, now = Date.now } = options;
  let sinceMs = now();
  let told = 0;
  let untold = 0;
  return (request, reason) => {
    if (now() - sinceMs >= MINUTE_MS) {
      if (untold > 0) log.info({ refused: untold }, "More requests without a valid API key were refused");
      sinceMs = now();
      told = 0;
      untold = 0;
    }
    if (told === TOLD_PER_MINUTE) {
      untold += 1;
      return;
    }
    told += 1;
    const line = {
      requestId: request.id,
      reason,
      sourceAddress: sourceAddressOf(request),
      method: request.method,
      path: request.routeOptions.url ?? "unknown",
    };
    log.info(line, "A request without a valid API key was refused");
  };
}
