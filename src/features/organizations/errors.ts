import { declareErrors } from "../../lib/errors.ts";

export const ORGANIZATION_ERRORS = declareErrors({
  EMAIL_TAKEN: {
    status: 409,
    title: "The email address is taken",
    cause: "A user of the organization has this email address.",
    remedy: "Change that user, or use another address.",
  },
  SESSION_NEEDS_KEY: {
    status: 403,
    title: "Only an API key can be exchanged for a session",
    cause: "The request was made with a session's cookie, or with the token of a workload.",
    remedy: "Send an API key: `Authorization: Bearer <API_KEY>`.",
  },
  EMAIL_OF_SERVICE: {
    status: 409,
    title: "A service account has no email address",
    cause: "The request would give an email address to a user of the kind `service`.",
    remedy: "Change its name, or create a person.",
  },
  SERVICE_ACCOUNT_SIGN_IN: {
    status: 403,
    title: "A service account does not sign in",
    cause: "The API key belongs to a user of the kind `service`, which is a program.",
    remedy: "Send the key with each request, or sign in with a person's key.",
  },
  LAST_ADMIN: {
    status: 409,
    title: "The organization needs an admin",
    cause: "This would leave the organization without an admin who is a person.",
    remedy: "Make another user an admin first.",
  },
  KEY_EXCEEDS_OWN: {
    status: 403,
    title: "The new API key or trust would exceed your key",
    cause:
      "An API key with scopes creates no key or trust with others, and none without scopes. One that expires creates no key that expires later, and no trust.",
    remedy:
      "Name `scopes` among those of your key and an `expiresAt` that is not later, or use a key without these limits.",
  },
  WORKLOAD_MAKES_NO_KEY: {
    status: 403,
    title: "A workload makes no key",
    cause:
      "The request was made with the short-lived token of a workload, and would make an API key or a trust.",
    remedy: "Use an admin's API key or session.",
  },
  LAST_ADMIN_KEY: {
    status: 409,
    title: "The organization needs an admin's API key",
    cause:
      "The request would delete the last API key of an admin, delete its user, or take away that user's admin role.",
    remedy: "Create another API key for an admin first. Use it to repeat the request.",
  },
});
