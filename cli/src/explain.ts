/** What any error means to a user: a code, sentences, and an exit code. */
import {
  AbortedError,
  ApiError,
  ArgumentError,
  ConnectionError,
  DotenvError,
  RedirectError,
  TimeoutError,
  WaitFailedError,
  WaitTimeoutError,
} from "../../sdk/src/index.ts";
import { CommandError, EXIT } from "./failure.ts";

/** @returns the error of a command that it is; null for a mistake of ours, which is shown whole */
export function explain(error: unknown): CommandError | null {
  if (error instanceof CommandError) return error;
  if (error instanceof ApiError) return explainRefusal(error);
  const make = (code: string, exitCode: number, hint: string | null = null): CommandError =>
    new CommandError((error as Error).message, { code, exitCode, hint, cause: error });
  if (error instanceof WaitTimeoutError) return make("STILL_PENDING", EXIT.PENDING);
  if (error instanceof WaitFailedError) return make("ENDED_BADLY", EXIT.ENDED_BADLY);
  if (error instanceof AbortedError) return make("INTERRUPTED", EXIT.INTERRUPTED);
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return make("UNREACHABLE", EXIT.UNAVAILABLE, "Check the address with slipway whoami, and the network.");
  if (error instanceof RedirectError) return make("REDIRECTED", EXIT.FAILED);
  if (error instanceof ArgumentError) return make("USAGE", EXIT.USAGE);
  if (error instanceof DotenvError) return make("INVALID_FILE", EXIT.FAILED);
  return null;
}

function explainRefusal(error: ApiError): CommandError {
  const { status, code, errors, requestId } = error;
  // The detail is the first fault, which the hint has.
  return new CommandError(errors.length > 0 ? "The request is not valid." : error.detail, {
    code: code ?? `HTTP_${status}`,
    exitCode: exitCodeOf(status),
    hint: hintOf(error),
    details: { status, requestId, ...(errors.length === 0 ? {} : { errors }) },
    cause: error,
  });
}

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.REFUSED;
  if (status === 404) return EXIT.NOT_FOUND;
  if (status === 409 || status === 412) return EXIT.CONFLICT;
  if (status === 408 || status === 429 || [502, 503, 504].includes(status)) return EXIT.UNAVAILABLE;
  return EXIT.FAILED;
}

function hintOf({ status, errors, requestId }: ApiError): string | null {
  // An empty path is the whole body.
  if (errors.length > 0)
    return errors
      .map(({ path, message }) => `${path === "" ? "The request" : `${path}:`} ${message}`)
      .join("\n");
  if (status === 401) return "Run slipway login to store another key, or check SLIPWAY_TOKEN.";
  return status >= 500 && requestId !== null ? `The request was ${requestId}.` : null;
}
