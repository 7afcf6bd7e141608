import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import { AppError, COMMON_ERRORS, type DeclaredError, type Fault } from "../../../src/lib/errors.ts";
import { HTTP_ERRORS } from "../../../src/http/errors.ts";
import { makeProblem, pathOf, PROBLEM_CONTENT_TYPE } from "../../../src/http/problems/problem.ts";
import { describeSchemaError } from "../../../src/lib/json/schema-fault.ts";
import type { SandboxLog } from "../accounts/stacks.ts";

/** Answers with problem details (RFC 9457). The codes are the API's, so that every type has a page there. */
function sendProblem(
  reply: FastifyReply,
  declaration: DeclaredError,
  detail: string,
  faults: readonly Fault[] = [],
): FastifyReply {
  const { url, id } = reply.request;
  const problem = makeProblem(declaration, { detail, instance: pathOf(url), requestId: id, faults });
  return reply.status(problem.status).type(PROBLEM_CONTENT_TYPE).send(problem);
}

/**
 * Makes every failure of this server a problem document; an invalid request gets all its faults. Unexpected
 * errors go to the log with their request id.
 */
export function setProblemHandlers(app: FastifyInstance, log: SandboxLog): void {
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, HTTP_ERRORS.ROUTE_NOT_FOUND, "The sandbox has nothing at this address."),
  );
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (error.validation !== undefined) {
      const faults = error.validation.map((fault) => describeSchemaError(fault));
      return sendProblem(
        reply,
        COMMON_ERRORS.INVALID_REQUEST,
        "The request is not valid; see errors.",
        faults,
      );
    }
    if (error instanceof AppError) return sendProblem(reply, error.declaration, error.message, error.faults);
    const status = error.statusCode ?? 500;
    if (status === 413)
      return sendProblem(reply, HTTP_ERRORS.BODY_TOO_LARGE, "The body is larger than the sandbox accepts.");
    if (status === 415)
      return sendProblem(reply, HTTP_ERRORS.UNSUPPORTED_MEDIA_TYPE, "Send the body as application/json.");
    if (status < 500)
      return sendProblem(reply, COMMON_ERRORS.INVALID_JSON, "The body could not be read as JSON.");
    log.warn({ err: error, requestId: request.id }, "The sandbox failed to answer a request");
    return sendProblem(reply, HTTP_ERRORS.INTERNAL, "The sandbox failed to answer.");
  });
}
