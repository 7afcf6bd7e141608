import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { DatabaseError, DatabaseUnavailableError } from "../../db/database.ts";
import { AppError, COMMON_ERRORS, notFound, TranslatedError } from "../../lib/errors.ts";
import { HTTP_ERRORS } from "../errors.ts";
import { makeProblem, pathOf, type Problem, PROBLEM_CONTENT_TYPE } from "./problem.ts";

const UNAVAILABLE_RETRY_SECONDS = 2;

/** The only place where an error becomes a status. An unexpected error becomes a bare 500, with details in the log. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = toAppError(error);
  if (refusal.declaration === HTTP_ERRORS.INTERNAL)
    request.log.error({ err: error, requestId: request.id }, "A request failed for an unexpected reason");
  const problem = problemOf(refusal, request);
  // Set here as well: a refusal of the router itself has passed no hook.
  reply.header("x-request-id", request.id);
  if (refusal.declaration === HTTP_ERRORS.UNAUTHENTICATED)
    reply.header("www-authenticate", 'Bearer realm="slipway"');
  if (refusal.retryAfterSeconds !== null) reply.header("retry-after", refusal.retryAfterSeconds);
  // As text, so that no response schema of the route drops a field.
  return reply
    .code(problem.status)
    .type(PROBLEM_CONTENT_TYPE)
    .serializer(String)
    .send(JSON.stringify(problem));
}

/** The problem document of a refusal. */
export function problemOf(refusal: AppError, request: FastifyRequest): Problem {
  return makeProblem(refusal.declaration, {
    detail: refusal.message,
    instance: pathOf(request.url),
    requestId: request.id,
    faults: refusal.faults,
    extensions: refusal.extensions,
  });
}

/** The part of an error that a client may see. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof TranslatedError) return error.toAppError();
  if (error instanceof DatabaseUnavailableError && error.reason === "outcome unknown") {
    return new AppError(
      HTTP_ERRORS.OUTCOME_UNKNOWN,
      "The database did not confirm the change, which may have been made. Repeat the request with the same Idempotency-Key.",
      { cause: error, retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS },
    );
  }
  if (error instanceof DatabaseUnavailableError || isTooSlow(error)) {
    const isFull = error instanceof DatabaseUnavailableError && error.reason === "no space";
    return new AppError(
      HTTP_ERRORS.DATABASE_UNAVAILABLE,
      `The database ${isFull ? "has no space left" : "does not answer"}. Try again, with the same Idempotency-Key.`,
      { cause: error, retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS },
    );
  }
  return (
    fromFastify(error) ??
    new AppError(
      HTTP_ERRORS.INTERNAL,
      "Something went wrong on our side. The log has the details under this requestId.",
    )
  );
}

/**
 * SQLSTATEs of a statement that was ended for taking too long (57014), for waiting too long for a lock (55P03), or,
 * repeatedly, for deadlocks or serialization failures (40P01, 40001). It did nothing, and may succeed later.
 */
const TOO_SLOW: ReadonlySet<string> = new Set(["57014", "55P03", "40P01", "40001"]);

function isTooSlow(error: unknown): boolean {
  return error instanceof DatabaseError && TOO_SLOW.has(error.code);
}

/** What Fastify itself refuses before a handler runs. */
function fromFastify(error: unknown): AppError | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  const { code, statusCode } = error as FastifyError;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE" || statusCode === 413) return bodyTooLarge();
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE" || statusCode === 415) {
    return new AppError(HTTP_ERRORS.UNSUPPORTED_MEDIA_TYPE, "Send the body as application/json.");
  }
  // A path segment beyond the limit is not an id of ours.
  if (code === "FST_ERR_MAX_PARAM_LENGTH") return notFound();
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return unreadable();
  return null;
}

export function bodyTooLarge(): AppError {
  return new AppError(
    HTTP_ERRORS.BODY_TOO_LARGE,
    "The body is larger than this endpoint accepts: 1 MiB, or 5 MiB for git hooks.",
  );
}

export function unreadable(cause?: Error): AppError {
  return new AppError(
    COMMON_ERRORS.INVALID_REQUEST,
    "The request could not be read: its framing, length or encoding is wrong.",
    { cause },
  );
}
