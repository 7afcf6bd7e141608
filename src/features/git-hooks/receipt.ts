/**
 * What came of a delivery. `STARTED`: deployments began. The others deployed nothing: another event than a push to a
 * branch; no environment that deploys on pushes to the branch; a commit that is not the branch's head any more; a
 * delivery that came before; a commit that another hook has brought; a signature that is not of the integration's
 * secret; or something failed, and the host was told to deliver again.
 */
export const OUTCOMES = [
  "STARTED",
  "NO_PUSH",
  "BRANCH_NOT_DEPLOYED",
  "NOT_HEAD",
  "REPEATED",
  "ALREADY_DEPLOYED",
  "SIGNATURE_WRONG",
  "FAILED",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What is remembered of a delivery. Of its body only what is here. */
export type Receipt = {
  readonly organizationId: string;
  readonly id: string;
  readonly gitIntegrationId: string;
  readonly receivedAt: Date;
  /** The host's own id; null if it sent none. */
  readonly hostId: string | null;
  readonly repositoryUrl: string;
  /** Null for what is no push to a branch, or is not known to be one. */
  readonly branch: string | null;
  readonly commitHash: string | null;
  readonly outcome: Outcome;
  /** Why it failed; null unless it did. */
  readonly errorCode: string | null;
  readonly deploymentIds: readonly string[];
};
