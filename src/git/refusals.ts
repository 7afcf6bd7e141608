/** What a git host's status codes mean for our caller. The host's own texts are never passed on. */
import { type GitAccess, GitError, type Repository } from "./git.ts";

export type RefusingAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
};

/** The refusal for an answer about a repository that is neither a success nor a redirect. */
export function repositoryRefusal(
  answer: RefusingAnswer,
  repository: Repository,
  access: GitAccess,
): GitError {
  const { host, normalizedUrl } = repository;
  if (isRateLimit(answer)) return rateLimited(host);
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

/** The refusal for an answer about a token itself, and about all that it reaches. `needs` names the permissions that such a token needs. */
export function tokenCheckRefusal(answer: RefusingAnswer, host: string, needs: string): GitError {
  if (isRateLimit(answer)) return rateLimited(host);
  if (answer.status === 401) return tokenRefused(host);
  if (answer.status === 403) {
    return new GitError(
      "TOKEN_REFUSED",
      `${host} accepts the token, but the token lacks permissions. It needs ${needs}.`,
    );
  }
  return unexpectedStatus(host, answer.status);
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

function rateLimited(host: string): GitError {
  return new GitError("HOST_UNAVAILABLE", `${host} has reached its rate limit. Try again later.`);
}

function unexpectedStatus(host: string, status: number): GitError {
  return new GitError("HOST_UNAVAILABLE", `${host} answered with status ${status}. Try again later.`);
}

/**
 * GitHub answers 403 as well as 429 for its rate limits:
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
 */
function isRateLimit({ status, headers }: RefusingAnswer): boolean {
  if (status === 429) return true;
  return status === 403 && (headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined);
}
