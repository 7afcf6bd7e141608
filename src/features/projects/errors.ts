import { declareErrors } from "../../lib/errors.ts";

export const PROJECT_ERRORS = declareErrors({
  PROJECT_DELETING: {
    status: 409,
    title: "The project is being deleted",
    cause: "The project is DELETING: its resources in the cloud account are being removed.",
    remedy:
      "Wait until a read of the project returns 404 (`Retry-After` says when to check again), and create a new one.",
  },
});
