import { declareErrors } from "../lib/errors.ts";

export const GIT_ERRORS = declareErrors({
  GIT_TOKEN_REFUSED: {
    status: 422,
    title: "The git provider refuses the token",
    cause: "The token is wrong, expired or lacks rights.",
    remedy: "Make a token that may read repositories, and set it with PATCH /v1/git-integrations/{id}.",
  },
  REPOSITORY_NOT_FOUND: {
    status: 422,
    title: "The repository was not found",
    cause: "The git host knows no such repository, or does not show it to the integration.",
    remedy: "Check repoUrl, and give the integration access to the repository.",
  },
  REPOSITORY_DENIED: {
    status: 422,
    title: "The integration may not read the repository",
    cause: "The git host refuses the integration's token for this repository.",
    remedy: "Give the integration access to the repository.",
  },
  REPOSITORY_TOO_LARGE: {
    status: 422,
    title: "The repository is too large",
    cause: "The sandbox reads repositories and commits up to a size only, which the detail names.",
    remedy: "Take large files out of the repository, its history included, and push again.",
  },
  BRANCH_NOT_FOUND: {
    status: 422,
    title: "The branch was not found",
    cause: "The repository has no such branch.",
    remedy: "Push the branch, or name another.",
  },
  /** Here, because a git host refuses a file that is too large; `configuration` raises the rest of it. */
  CONFIG_INVALID: {
    status: 422,
    title: "The configuration file is not valid",
    cause: "The configuration in the repository breaks the schema of /schema.json.",
    remedy: "Correct every entry of `errors` in the file and push it.",
  },
  GIT_HOST_REFUSED: {
    status: 422,
    title: "The git host is not allowed",
    cause: "The address is not one of the provider's, or leads into a private network.",
    remedy: "Use the provider's public address; an operator can allow a host by SLIPWAY_GIT_ALLOWED_HOSTS.",
  },
  GIT_HOST_UNAVAILABLE: {
    status: 503,
    title: "The git host does not answer",
    cause: "The git host failed, timed out, or answered nonsense.",
    remedy: "Try again after the time of Retry-After.",
  },
});
