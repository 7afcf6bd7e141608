import { declareErrors } from "../../lib/errors.ts";

export const ACCOUNT_REMOVAL_ERRORS = declareErrors({
  AWS_ACCOUNT_IN_USE: {
    status: 409,
    title: "The cloud account is in use",
    cause:
      "A project is deployed to this cloud account connection, or what one left there is still being removed.",
    remedy: "Delete the projects first; once nothing is left to remove, the connection can be deleted.",
  },
});
