import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import type { Fault } from "../../errors.ts";
import { describeSchemaError } from "../../schema-fault.ts";

const TITLES: { readonly [status: number]: string } = {
  400: "Bad request",
  401: "Not authorized",
  404: "Not found",
  409: "Conflict",
  413: "Body too large",
  415: "Unsupported media type",
  500: "Internal error",
};

/** Answers with problem details (RFC 9457). */
export function sendProblem(
  reply: FastifyReply,
  status: number,
  code: string,
  detail: string,
  errors?: readonly Fault[],
): FastifyReply {
  return reply
    .status(status)
    .type("application/problem+json")
    .send({
      type: `/docs/errors/${code}`,
      title: TITLES[status] ?? "Request refused",
      status,
      detail,
      instance: reply.request.url.split("?", 1)[0],
      code,
      requestId: reply.request.id,
      ...(errors === undefined ? {} : { errors }),
    });
}

/** Makes every failure of this server a problem document, those of the validation with each fault. */
export function setProblemHandlers(app: FastifyInstance): void {
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, 404, "ROUTE_NOT_FOUND", "The sandbox has nothing at this address."),
  );
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (error.validation !== undefined) {
      const faults = error.validation.map((fault) => describeSchemaError(fault));
      return sendProblem(reply, 400, "INVALID_REQUEST", "The request is not valid; see errors.", faults);
    }
    const status = error.statusCode ?? 500;
    if (status < 500) {
      const code =
        status === 413 ? "BODY_TOO_LARGE" : status === 415 ? "UNSUPPORTED_MEDIA_TYPE" : "INVALID_JSON";
      return sendProblem(reply, status, code, "The body could not be read as JSON.");
    }
    request.log.error({ err: error }, "The sandbox failed to answer a request.");
    return sendProblem(reply, 500, "INTERNAL", "The sandbox failed to answer.");
  });
}
