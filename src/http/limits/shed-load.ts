import { randomInt, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../lib/log.ts";
import { makeProblem, pathOf, PROBLEM_CONTENT_TYPE } from "../problems/problem.ts";
import { HTTP_ERRORS } from "../errors.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Health and metrics must be answered under load, too. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);
/** A range, so that refused clients do not all come back at the same time. */
const RETRY_AFTER_SECONDS = { least: 1, most: 3 };
const LOG_EVERY_MS = 10_000;

/**
 * A request that finds no room is checked again after this time, and then admitted or refused. This absorbs a short
 * rush. It also limits clients that repeat a refused request at once, to one in this time on a connection: a refusal
 * costs about a tenth of an answer, so a flood of refusals would take time from the answers.
 */
const CHECK_AGAIN_MS = 500;

/** How often a request is checked that its client does not repeat. */
const PATIENT_CHECKS = 16;

/**
 * Refuses requests with 503 while more of them wait than can be answered soon. Accepted requests are then answered in
 * good time. Refused ones cost little: they are not routed, authenticated or parsed. With an unbounded queue longer
 * than clients' patience, no client would get an answer in time.
 */
export function shedLoad(
  handler: Handler,
  options: {
    readonly isOverloaded: () => boolean;
    readonly onShed: () => void;
    readonly log: Logger;
    /**
     * Whether requests with this path wait longer. A git host sends a push once, gives up after ten seconds (GitHub) and
     * does not repeat it.
     */
    readonly isPatient: (path: string) => boolean;
  },
): Handler {
  const { isOverloaded, onShed, log, isPatient } = options;
  let unlogged = 0;
  let loggedAtMs = Number.NEGATIVE_INFINITY;

  const handleLater = async (path: string, ...[request, response]: Parameters<Handler>): Promise<void> => {
    for (let checks = isPatient(path) ? PATIENT_CHECKS : 1; checks > 0; checks -= 1) {
      await sleep(CHECK_AGAIN_MS);
      // The client gave up.
      if (response.destroyed) return;
      if (!isOverloaded()) return handler(request, response);
    }
    onShed();
    unlogged += 1;
    // Not one line per refusal: logging must not use up the rest of the machine.
    if (performance.now() - loggedAtMs > LOG_EVERY_MS) {
      log.warn({ refused: unlogged }, "More requests come than can be answered; some are refused with 503");
      loggedAtMs = performance.now();
      unlogged = 0;
    }
    refuse(path, response);
  };

  return (request, response) => {
    if (!isOverloaded()) return handler(request, response);
    const path = pathOf(request.url);
    if (ALWAYS_ANSWERED.has(path)) return handler(request, response);
    void handleLater(path, request, response);
  };
}

function refuse(path: string, response: ServerResponse): void {
  const requestId = randomUUID();
  const retryAfter = randomInt(RETRY_AFTER_SECONDS.least, RETRY_AFTER_SECONDS.most + 1);
  const detail = `Too many requests are waiting. Nothing was done. Try again in ${retryAfter} s.`;
  const problem = makeProblem(HTTP_ERRORS.OVERLOADED, { detail, instance: path, requestId });
  const body = JSON.stringify(problem);
  response.writeHead(problem.status, {
    "content-type": PROBLEM_CONTENT_TYPE,
    "content-length": Buffer.byteLength(body),
    "retry-after": String(retryAfter),
    "x-request-id": requestId,
  });
  response.end(body);
}
