import { declareErrors } from "../../lib/errors.ts";

export const GIT_HOOK_ERRORS = declareErrors({
  HOOK_SIGNATURE_REFUSED: {
    status: 401,
    title: "The delivery is not signed with a secret of ours",
    cause:
      "The signature of a git host's delivery is missing or wrong, or no project has the repository with a hook secret for this provider.",
    remedy:
      "Set the secret that POST /v1/git-integrations/{gitIntegrationId}/hook-secret answered at the git host, and deliver again.",
  },
});
