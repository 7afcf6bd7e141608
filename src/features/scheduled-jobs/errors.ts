import { declareErrors } from "../../lib/errors.ts";

export const SCHEDULED_JOB_ERRORS = declareErrors({
  JOB_NOT_FOUND: {
    status: 404,
    title: "The service has no such job",
    cause:
      "Jobs are named by their ids in `slipway.json`, and only services of the type `scheduler` have jobs.",
    remedy: "List the service's jobs, and use the id of one of them.",
  },
});

/** Why a start of a schedule started nothing. */
export const UNSTARTED = {
  overlap: {
    code: "OVERLAP",
    message: "Another execution of the job was under way. Its overlap rule says that this one is skipped.",
  },
  /** @param others how many more were missed without a record; Infinity for too many to count */
  missed: (others: number) => {
    const more = others === Infinity ? "More than 10,000" : String(others);
    const without =
      others === 0 ? "" : ` ${more} more starts before it were missed, too, and have no record.`;
    return { code: "MISSED", message: `Slipway could not start it in time.${without}` };
  },
} as const;
