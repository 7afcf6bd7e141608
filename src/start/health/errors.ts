import { declareErrors } from "../../lib/errors.ts";

export const HEALTH_ERRORS = declareErrors({
  OPERATOR_ONLY: {
    status: 403,
    title: "Only the operator's organization may see this",
    cause: "This is about the whole installation. Admins of its first organization may see it.",
    remedy: "Use a key of an admin of that organization, or run `slipway doctor` on the server.",
  },
});
