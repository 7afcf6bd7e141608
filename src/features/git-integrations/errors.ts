import { declareErrors } from "../../lib/errors.ts";

export const GIT_INTEGRATION_ERRORS = declareErrors({
  GIT_INTEGRATION_EXISTS: {
    status: 409,
    title: "The git integration already exists",
    cause: "An organization can have only one integration for each provider and host.",
    remedy: "To change the token of the existing integration, use PATCH /v1/git-integrations/{id}.",
  },
  GIT_INTEGRATION_IN_USE: {
    status: 409,
    title: "The git integration is in use",
    cause: "A project reads its repository through this integration.",
    remedy:
      "To change the token, use PATCH /v1/git-integrations/{id}. To delete it, delete the projects that `detail` names first.",
  },
  GIT_INTEGRATION_MISSING: {
    status: 422,
    title: "No git integration for this provider",
    cause: "The organization has no integration for this provider and host.",
    remedy: "Have an admin create one with POST /v1/git-integrations.",
  },
  GIT_TOKEN_READS_LESS: {
    status: 422,
    title: "The new token can read less than the current one",
    cause: "The new token cannot read a project's repository that the current token can read.",
    remedy:
      "Give the new token access to the repositories that `detail` names. Until then, the current token stays.",
  },
});
