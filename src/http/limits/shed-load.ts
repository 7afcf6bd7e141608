import { randomInt, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "../../lib/log.ts";
import { makeProblem, pathOf, PROBLEM_CONTENT_TYPE } from "../problems/problem.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What tells others how the process does must answer just then. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);
/** Spread, so that those who were refused together do not come back together. */
const RETRY_AFTER_SECONDS = { least: 1, most: 3 };
const TELL_EVERY_MS = 10_000;

/**
 * A request that finds no room is looked at again after this, and then let in or refused. A short rush is so
 * absorbed, and who asks again at once when refused cannot do so more often than this on one connection: a refusal
 * costs about a tenth of an answer, and many would take the time of the answers.
 */
const SECOND_LOOK_MS = 500;

/**
 * A git host tells of a push once, gives up after ten seconds (GitHub) and does not repeat it, so it is asked to wait
 * for nearly as long before it is refused.
 */
const HOOKS = "/v1/git-hooks/";
const HOOK_LOOKS = 16;

/**
 * Refuses requests with 503 while more of them wait than can soon be answered. What is taken is then answered
 * in good time, and what is not costs little: nothing of it is routed, authenticated or parsed.
 * A queue without bound would answer nobody in time as soon as it is longer than clients are patient.
 */
export function shedLoad(
  handler: Handler,
  options: { isOverloaded: () => boolean; onShed: () => void; log: Logger },
): Handler {
  const { isOverloaded, onShed, log } = options;
  let untold = 0;
  let toldAt = Number.NEGATIVE_INFINITY;

  const lookAgain = (
    path: string,
    looks: number,
    request: IncomingMessage,
    response: ServerResponse,
  ): void => {
    setTimeout(decide, SECOND_LOOK_MS, path, looks - 1, request, response);
  };

  const decide = (path: string, looks: number, request: IncomingMessage, response: ServerResponse): void => {
    // The client gave up.
    if (response.destroyed) return;
    if (!isOverloaded()) return handler(request, response);
    if (looks > 0) return lookAgain(path, looks, request, response);
    onShed();
    untold += 1;
    // Not a line for each: the log must not be what the rest of the machine is spent on.
    if (performance.now() - toldAt > TELL_EVERY_MS) {
      log.warn({ refused: untold }, "More requests come than can be answered; some are refused with 503");
      toldAt = performance.now();
      untold = 0;
    }
    refuse(path, response);
  };

  return (request, response) => {
    if (!isOverloaded()) return handler(request, response);
    const path = pathOf(request.url);
    if (ALWAYS_ANSWERED.has(path)) return handler(request, response);
    lookAgain(path, path.startsWith(HOOKS) ? HOOK_LOOKS : 1, request, response);
  };
}

function refuse(path: string, response: ServerResponse): void {
  const requestId = randomUUID();
  const retryAfter = randomInt(RETRY_AFTER_SECONDS.least, RETRY_AFTER_SECONDS.most + 1);
  const detail = `Too many requests wait already. Nothing was done; try again in ${retryAfter} s.`;
  const problem = makeProblem("OVERLOADED", { detail, instance: path, requestId });
  const body = JSON.stringify(problem);
  response.writeHead(problem.status, {
    "content-type": PROBLEM_CONTENT_TYPE,
    "content-length": Buffer.byteLength(body),
    "retry-after": String(retryAfter),
    "x-request-id": requestId,
  });
  response.end(body);
}
