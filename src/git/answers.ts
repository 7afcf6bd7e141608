/** What a git host's answers mean for our caller. The host's own texts are never passed on. */
import { readCommitTexts } from "./commit-texts.ts";
import {
  type GitAccess,
  GitError,
  type LoggedCommit,
  type ReachedRepository,
  type Repository,
} from "./git.ts";
import type { HttpAnswer } from "./http-client.ts";
import { parseRepositoryUrl, RepositoryUrlError } from "./repository-url.ts";

/** The refusal for an answer about a repository that is neither a success nor a redirect. */
export function repositoryRefusal(
  answer: HttpAnswer,
  repository: Repository,
  access: Pick<GitAccess, "token">,
): GitError {
  const { host, normalizedUrl } = repository;
  if (isRateLimit(answer)) return rateLimited(answer, host);
  switch (answer.status) {
    case 401:
      if (access.token !== null) return tokenRefused(host);
      return new GitError(
        "REPOSITORY_DENIED",
        `${host} requires a sign-in to read ${normalizedUrl}: the repository is private or does not exist. Add a git integration with a token that may read it.`,
      );
    case 403:
      return new GitError(
        "REPOSITORY_DENIED",
        `${host} denies access to ${normalizedUrl}. Give the git integration's token read access to the repository and its members.`,
      );
    case 404:
    case 410:
      return new GitError(
        "REPOSITORY_NOT_FOUND",
        `${host} has no repository at ${normalizedUrl}, or hides it from the git integration. Check the address and the token's access.`,
      );
    default:
      return unexpectedStatus(host, answer.status);
  }
}

/**
 * The refusal for an answer about a token itself, and about all that it reaches. `needs` names the permissions that such
 * a token needs.
 */
export function tokenCheckRefusal(answer: HttpAnswer, host: string, needs: string): GitError {
  if (isRateLimit(answer)) return rateLimited(answer, host);
  if (answer.status === 401) return tokenRefused(host);
  if (answer.status === 403) {
    return new GitError(
      "TOKEN_REFUSED",
      `${host} accepts the token, but the token lacks permissions. It needs ${needs}.`,
    );
  }
  return unexpectedStatus(host, answer.status);
}

/**
 * The refusal for an answer to a request for which another permission is needed than to read the code.
 * @param needs the permission
 */
export function permissionRefusal(
  answer: HttpAnswer,
  repository: Repository,
  access: Pick<GitAccess, "token">,
  needs: string,
): GitError {
  const { host, normalizedUrl } = repository;
  if (![403, 404, 410].includes(answer.status) || isRateLimit(answer))
    return repositoryRefusal(answer, repository, access);
  return new GitError(
    "PERMISSION_MISSING",
    `${host} does not allow this at ${normalizedUrl}. Give the git integration's token ${needs}.`,
  );
}

/** The host answered in another protocol than we requested. */
export function unreadable(host: string): GitError {
  return new GitError(
    "HOST_UNAVAILABLE",
    `${host} gave an unreadable answer. Check that it is the selected git provider, or try again later.`,
  );
}

function tokenRefused(host: string): GitError {
  return new GitError(
    "TOKEN_REFUSED",
    `${host} refuses the git integration's token: it is mistyped, expired or revoked. An admin can replace it under Git.`,
  );
}

function rateLimited({ headers }: HttpAnswer, host: string): GitError {
  return new GitError("HOST_UNAVAILABLE", `${host} has reached its rate limit. Try again later.`, {
    retryAfterSeconds: readRetryAfter(headers),
  });
}

/** A longer wait is not believed: the limits of both hosts last an hour at most. */
const RETRY_AFTER_SECONDS_MAX = 3_600;

/**
 * When the host answers again: in `Retry-After` seconds or, if it has none, at the instant at which its limit starts
 * anew (seconds since 1970). Null if it does not say.
 */
function readRetryAfter(headers: HttpAnswer["headers"]): number | null {
  const resetAt = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]);
  const seconds = Number(headers["retry-after"] ?? Math.ceil(resetAt - Date.now() / 1_000));
  return seconds > 0 ? Math.min(seconds, RETRY_AFTER_SECONDS_MAX) : null;
}

function unexpectedStatus(host: string, status: number): GitError {
  return new GitError("HOST_UNAVAILABLE", `${host} answered with status ${status}. Try again later.`);
}

/**
 * GitHub answers 403 as well as 429 for its rate limits, and not always with a header:
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
function isRateLimit({ status, headers, body }: HttpAnswer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers["x-ratelimit-remaining"] === "0" ||
    headers["retry-after"] !== undefined ||
    body.includes("secondary rate limit")
  );
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** The JSON of an answer. @throws GitError `HOST_UNAVAILABLE` */
export function readJson(answer: HttpAnswer, host: string): unknown {
  try {
    return JSON.parse(answer.body.toString()) as unknown;
  } catch (error) {
    // The parser's error quotes the host's answer, so it is not kept as the cause.
    if (error instanceof SyntaxError) throw unreadable(host);
    throw error;
  }
}

/** @throws GitError `HOST_UNAVAILABLE` if it is not a JSON object */
export function requireObject(value: unknown, host: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unreadable(host);
  return value as JsonObject;
}

/** @throws GitError `HOST_UNAVAILABLE` if it is not a list of JSON objects */
export function requireObjects(value: unknown, host: string): readonly JsonObject[] {
  if (!Array.isArray(value)) throw unreadable(host);
  return value.map((one) => requireObject(one, host));
}

/** The paths in some fields of listed files, each once. @throws GitError `HOST_UNAVAILABLE` */
export function pathsOf(
  files: readonly JsonObject[],
  fields: readonly string[],
  host: string,
): readonly string[] {
  const paths = files.flatMap((file) => fields.flatMap((field) => file[field] ?? []));
  if (!paths.every((path) => typeof path === "string")) throw unreadable(host);
  return [...new Set(paths)];
}

/**
 * A repository that a host lists. Its address is made of the host's own address and the path, so that no answer leads
 * to another host. @throws GitError `HOST_UNAVAILABLE` if the answer does not have the host's form
 */
export function reached(
  hostUrl: string,
  {
    path,
    defaultBranch = null,
    isPrivate,
    lastPushedAt,
  }: {
    readonly path: unknown;
    readonly defaultBranch: unknown;
    readonly isPrivate: unknown;
    readonly lastPushedAt: unknown;
  },
): ReachedRepository {
  const { host } = new URL(hostUrl);
  if (typeof path !== "string" || typeof isPrivate !== "boolean") throw unreadable(host);
  if (defaultBranch !== null && typeof defaultBranch !== "string") throw unreadable(host);
  try {
    const { normalizedUrl } = parseRepositoryUrl(`${hostUrl}/${path}`);
    return {
      url: normalizedUrl,
      name: path,
      defaultBranch,
      isPrivate,
      lastPushedAt: readInstant(lastPushedAt),
    };
  } catch (error) {
    if (error instanceof RepositoryUrlError) throw unreadable(host);
    throw error;
  }
}

/** What a host says of a commit in a history, unchecked. */
export type LoggedFields = {
  readonly hash: unknown;
  readonly committedAt: unknown;
  readonly texts: Parameters<typeof readCommitTexts>;
};

/** @throws GitError `HOST_UNAVAILABLE` if the answer does not have the host's form */
export function readLogged({ hash, committedAt, texts }: LoggedFields, host: string): LoggedCommit {
  if (typeof hash !== "string" || !/^[0-9a-f]{40}$/.test(hash)) throw unreadable(host);
  return { hash, ...readCommitTexts(...texts), committedAt: readInstant(committedAt) };
}

/** Null for anything but an instant: it is only shown and sorted by. */
function readInstant(value: unknown): Date | null {
  const instant = typeof value === "string" ? new Date(value) : null;
  return instant === null || Number.isNaN(instant.getTime()) ? null : instant;
}
