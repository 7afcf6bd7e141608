import { declareErrors } from "../../lib/errors.ts";

export const INVALIDATION_ERRORS = declareErrors({
  SERVICE_HAS_NO_CACHE: {
    status: 409,
    title: "The service has no distribution",
    cause:
      "A worker answers no requests, and a private service has no distribution, so nothing caches their responses.",
    remedy: "Use the id of a service that has a distribution.",
  },
});

/** Of an invalidation that the cloud did not complete within a day. */
export const NOT_COMPLETED = {
  code: "TIMED_OUT",
  message: "The cloud did not complete it within 24 hours. Request it again.",
} as const;
