import { declareErrors } from "../../lib/errors.ts";

export const ACCOUNT_REMOVAL_ERRORS = declareErrors({
  AWS_ACCOUNT_IN_USE: {
    status: 409,
    title: "The cloud account is in use",
    cause:
      "A project is deployed to this cloud account connection, or resources of a deleted project are still being removed.",
    remedy: "Delete the projects first. When all their resources are removed, the connection can be deleted.",
  },
});
