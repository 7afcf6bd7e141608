import { declareErrors } from "../lib/errors.ts";

export const GIT_ERRORS = declareErrors({
  GIT_TOKEN_REFUSED: {
    status: 422,
    title: "The git provider refuses the token",
    cause: "The token is wrong or expired, or lacks permissions.",
    remedy: "Create a token that may read repositories, and set it with PATCH /v1/git-integrations/{id}.",
  },
  REPOSITORY_NOT_FOUND: {
    status: 422,
    title: "The repository was not found",
    cause: "The git host does not have the repository, or hides it from the integration.",
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
    cause: "The sandbox only reads repositories and commits up to the size that `detail` names.",
    remedy: "Remove large files from the repository, including its history, and push again.",
  },
  CHECKOUT_REFUSED: {
    status: 422,
    title: "The commit cannot be checked out",
    cause:
      "The commit has a file whose name or link is not allowed, or an object of the repository is damaged.",
    remedy: "Correct what `detail` names, and push again.",
  },
  BRANCH_NOT_FOUND: {
    status: 422,
    title: "The branch was not found",
    cause: "The repository has no such branch.",
    remedy: "Push the branch, or use another.",
  },
  /** Here, because a git host refuses a file that is too large; `configuration` raises the rest of it. */
  CONFIG_INVALID: {
    status: 422,
    title: "The configuration file is not valid",
    cause: "The configuration in the repository does not match the schema at /schema.json.",
    remedy: "Correct every entry of `errors` in the file and push it.",
  },
  GIT_HOST_REFUSED: {
    status: 422,
    title: "The git host is not allowed",
    cause: "The address is not one of the provider's, or leads into a private network.",
    remedy: "Use the provider's public address. An operator can allow a host with SLIPWAY_GIT_ALLOWED_HOSTS.",
  },
  GIT_HOST_UNAVAILABLE: {
    status: 503,
    title: "The git host does not answer",
    cause: "The git host failed, timed out, or gave an unreadable answer.",
    remedy: "Try again after `Retry-After`.",
  },
});
