/** Faults of the sandbox's git host, for each repository. */
import type { Faults } from "../faults.ts";

export const GIT_OPERATIONS = [
  "pullRequests.list",
  "pullRequests.files",
  "deployments.report",
  "comments.write",
  "statuses.report",
  "deliveries.send",
] as const;
export type GitOperation = (typeof GIT_OPERATIONS)[number];

/**
 * `gone`: the host no longer has the commit or pull request of a report. `stale`: the list as it was before its last change.
 * The last three are of deliveries only.
 */
export const GIT_FAULT_KINDS = [
  "denied",
  "not-found",
  "throttled",
  "server-error",
  "gone",
  "stale",
  "dropped",
  "duplicated",
  "reordered",
] as const;
export type GitFaultKind = (typeof GIT_FAULT_KINDS)[number];

/** A fault belongs to a repository, in place of an organization. */
export type GitFaults = Faults<GitOperation, GitFaultKind>;
