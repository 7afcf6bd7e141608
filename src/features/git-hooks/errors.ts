import { declareErrors } from "../../lib/errors.ts";

export const GIT_HOOK_ERRORS = declareErrors({
  HOOK_SIGNATURE_REFUSED: {
    status: 401,
    title: "The delivery is not signed with a known secret",
    cause:
      "The signature of a git host's delivery is missing or wrong, or no integration with a hook secret has a project of this repository.",
    remedy:
      "Enter the secret from POST /v1/git-integrations/{gitIntegrationId}/hook-secret at the git host, and deliver again.",
  },
});
