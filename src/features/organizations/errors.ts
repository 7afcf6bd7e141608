import { declareErrors } from "../../lib/errors.ts";

export const ORGANIZATION_ERRORS = declareErrors({
  EMAIL_TAKEN: {
    status: 409,
    title: "The email address is taken",
    cause: "A user of the organization has this email address.",
    remedy: "Change that user, or use another address.",
  },
  LAST_ADMIN: {
    status: 409,
    title: "The organization needs an admin",
    cause: "This would leave the organization without an admin user.",
    remedy: "Make another user an admin first.",
  },
  LAST_ADMIN_KEY: {
    status: 409,
    title: "The organization would have no admin's key left",
    cause:
      "The last API key of an admin was to be deleted, or the user who has it, or that user's role taken away.",
    remedy:
      "Create an API key of another admin, or of this one, first; sign in with it, then delete this one.",
  },
});
