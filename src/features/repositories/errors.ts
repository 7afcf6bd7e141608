import { declareErrors } from "../../lib/errors.ts";

export const REPOSITORY_ERRORS = declareErrors({
  TOO_MANY_DETECTIONS: {
    status: 429,
    title: "Too many repositories are read at once",
    cause: "The organization has reached its limit of repositories whose framework is detected at one time.",
    remedy: "Try again after `Retry-After`.",
  },
});
