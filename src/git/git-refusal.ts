import { AppError, type ErrorCode } from "../lib/errors.ts";
import type { GitError, GitErrorCode } from "./git.ts";

const CODES: Readonly<Record<GitErrorCode, ErrorCode>> = {
  REPOSITORY_NOT_FOUND: "REPOSITORY_NOT_FOUND",
  REPOSITORY_DENIED: "REPOSITORY_DENIED",
  TOKEN_REFUSED: "GIT_TOKEN_REFUSED",
  FILE_TOO_LARGE: "CONFIG_INVALID",
  REPOSITORY_TOO_LARGE: "REPOSITORY_TOO_LARGE",
  HOST_REFUSED: "GIT_HOST_REFUSED",
  HOST_UNAVAILABLE: "GIT_HOST_UNAVAILABLE",
};

const AWAY_RETRY_SECONDS = 10;

/** What a client is told of a git host's refusal. */
export function refusalOfGit(error: GitError): AppError {
  return new AppError(CODES[error.code], error.message, {
    cause: error,
    ...(error.code === "HOST_UNAVAILABLE" ? { retryAfterSeconds: AWAY_RETRY_SECONDS } : {}),
  });
}
