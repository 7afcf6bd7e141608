import type { FastifyRequest } from "fastify";
import type { Logger } from "../../lib/log.ts";
import type { RefusalReason } from "../auth.ts";
import { sourceAddressOf } from "./source-address.ts";

/**
 * How many refusals per minute are logged one by one. The rest is counted, so that clients cannot flood the log. It is
 * a window, not a token bucket, so that the number in the log belongs to a certain time.
 */
const LOGGED_PER_MINUTE = 20;
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
  let logged = 0;
  let unlogged = 0;
  return (request, reason) => {
    if (now() - sinceMs >= MINUTE_MS) {
      if (unlogged > 0) log.info({ refused: unlogged }, "More requests without a valid API key were refused");
      sinceMs = now();
      logged = 0;
      unlogged = 0;
    }
    if (logged === LOGGED_PER_MINUTE) {
      unlogged += 1;
      return;
    }
    logged += 1;
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
