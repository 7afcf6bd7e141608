import { declareErrors } from "../../lib/errors.ts";

export const API_KEY_ERRORS = declareErrors({
  KEY_EXCEEDS_OWN: {
    status: 403,
    title: "The new API key or trust would exceed your key",
    cause:
      "An API key with scopes creates only keys and trusts with the same scopes or fewer. An API key that expires creates no key that expires later, and no trust.",
    remedy:
      "Choose `scopes` from those of your key and an `expiresAt` that is not later, or use a key without these limits.",
  },
  WORKLOAD_MAKES_NO_KEY: {
    status: 403,
    title: "A workload cannot create API keys",
    cause:
      "The request was made with the short-lived token of a workload, and would create an API key or a trust.",
    remedy: "Use an admin's API key or session.",
  },
});
