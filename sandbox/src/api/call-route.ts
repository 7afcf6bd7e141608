import type { FastifyInstance, FastifyReply } from "fastify";
import { Value } from "typebox/value";
import { COMMON_ERRORS } from "../../../src/lib/errors.ts";
import { Call, isOperation } from "../protocol.ts";
import type { Calls } from "./calls.ts";
import { sendProblem } from "./problems.ts";

/** Large enough for all variables that a service may have (500 of 32 KiB). */
const MAX_CALL_BYTES = 32 * 1024 * 1024;

const STATUS_OF_KIND = { retryable: 429, denied: 403, gone: 404, limit: 400, invalid: 400 } as const;

/** The calls of the adapter, each with its own outcome: an answer, a refusal, or a fault on demand. */
export function registerCallRoute(app: FastifyInstance, calls: Calls): void {
  const bodyLimit = MAX_CALL_BYTES;
  app.post<{ Params: { operation: string } }>("/cloud/:operation", { bodyLimit }, async (request, reply) => {
    const { operation } = request.params;
    const { body } = request;
    if (!isOperation(operation) || !Value.Check(Call, body)) {
      return sendProblem(
        reply,
        COMMON_ERRORS.INVALID_REQUEST,
        "There is no such operation, or its envelope is wrong.",
      );
    }
    const outcome = calls.make(operation, body);
    switch (outcome.kind) {
      case "answer":
        return reply.send(outcome.output);
      case "refused": {
        const { kind, code, message, rate } = outcome.refusal;
        return reply.status(STATUS_OF_KIND[kind]).send({ kind, code, message, rate });
      }
      case "server-error":
        // Like a load balancer's answer for a service that is down: it is not JSON.
        return reply
          .status(503)
          .type("text/html")
          .send("<html><body><h1>503 Service Unavailable</h1></body></html>");
      case "timeout":
        return hangUp(reply, false);
      case "lost-response":
        return hangUp(reply, true);
    }
  });
}

/** Takes the connection away from Fastify, to break it or to leave it without an answer. */
function hangUp(reply: FastifyReply, isBroken: boolean): FastifyReply {
  reply.hijack();
  if (isBroken) reply.raw.destroy();
  return reply;
}
