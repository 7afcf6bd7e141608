import { declareErrors } from "../../lib/errors.ts";

export const USER_ERRORS = declareErrors({
  EMAIL_TAKEN: {
    status: 409,
    title: "The email address is taken",
    cause: "A user of the organization has this email address.",
    remedy: "Change that user, or use another address.",
  },
  EMAIL_OF_SERVICE: {
    status: 409,
    title: "A service account has no email address",
    cause: "The request would give an email address to a user of the kind `service`.",
    remedy: "Change its name, or create a person.",
  },
  LAST_ADMIN: {
    status: 409,
    title: "The organization needs an admin",
    cause: "This would leave the organization without an admin who is a person.",
    remedy: "Make another user an admin first.",
  },
  LAST_ADMIN_KEY: {
    status: 409,
    title: "The organization needs an admin's API key",
    cause:
      "The request would delete the last API key of an admin, delete its user, or take away that user's admin role.",
    remedy: "Create another API key for an admin first. Use it to repeat the request.",
  },
});
